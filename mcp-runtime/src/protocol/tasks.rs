//! Tasks: calls that go on after they were answered (2026-07-28 as an extension, 2025-11-25 in other words).

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use serde::Serialize;

use super::{
    RawJson,
    error::ErrorObject,
    input::{InputRequests, as_map},
};

/// The extension's identifier.
pub(crate) const EXTENSION: &str = "io.modelcontextprotocol/tasks";

/// The key under which a message says to which task it belongs (2025-11-25).
pub(crate) const RELATED_TASK: &str = "io.modelcontextprotocol/related-task";

/// How far a task is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum TaskStatus {
    Working,
    InputRequired,
    Completed,
    Failed,
    Cancelled,
}

/// What is told of a task.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Task {
    pub(crate) task_id: String,
    pub(crate) status: TaskStatus,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) status_message: Option<String>,
    pub(crate) created_at: String,
    pub(crate) last_updated_at: String,
    /// How long it is kept, from its creation; null for as long as the server runs.
    pub(crate) ttl_ms: Option<u64>,
    pub(crate) poll_interval_ms: u64,
}

/// A task with what its status brings: its questions, its result, or its error.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct DetailedTask {
    #[serde(flatten)]
    pub(crate) task: Task,
    #[serde(skip_serializing_if = "Vec::is_empty", serialize_with = "as_map")]
    pub(crate) input_requests: InputRequests,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) result: Option<RawJson>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) error: Option<ErrorObject>,
}

/// A task as version 2025-11-25 tells of it.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct CoreTask {
    pub(crate) task_id: String,
    pub(crate) status: TaskStatus,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) status_message: Option<String>,
    pub(crate) created_at: String,
    pub(crate) last_updated_at: String,
    pub(crate) ttl: Option<u64>,
    pub(crate) poll_interval: u64,
}

/// The answer to a call that has become a task (2025-11-25).
#[derive(Clone, Debug, PartialEq, Serialize)]
pub(crate) struct CreateCoreTaskResult {
    pub(crate) task: CoreTask,
}

/// The answer to `tasks/list` (2025-11-25).
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct ListTasksResult {
    pub(crate) tasks: Vec<CoreTask>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) next_cursor: Option<String>,
}

impl TaskStatus {
    /// Whether nothing comes after it.
    pub(crate) fn is_terminal(self) -> bool {
        matches!(self, Self::Completed | Self::Failed | Self::Cancelled)
    }
}

/// A time as ISO 8601 has it, in UTC, to the millisecond.
pub(crate) fn timestamp(time: SystemTime) -> String {
    let since = time.duration_since(UNIX_EPOCH).unwrap_or(Duration::ZERO);
    let (days, second) = (since.as_secs() / 86_400, since.as_secs() % 86_400);
    let (year, month, day) = date(days);
    let (hour, minute, second) = (second / 3600, second / 60 % 60, second % 60);
    let millis = since.subsec_millis();
    format!("{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}.{millis:03}Z")
}

/// The date so many days after 1970-01-01.
fn date(days: u64) -> (u64, u64, u64) {
    // Years that begin in March end with the leap day, and 400 of them are all alike (Hinnant, "chrono-compatible
    // low-level date algorithms").
    const DAYS_BEFORE: u64 = 719_468;
    const DAYS_OF_ERA: u64 = 146_097;
    let days = days + DAYS_BEFORE;
    let (era, day) = (days / DAYS_OF_ERA, days % DAYS_OF_ERA);
    let year = (day - day / 1460 + day / 36_524 - day / 146_096) / 365;
    let day = day - (365 * year + year / 4 - year / 100);
    let month = (5 * day + 2) / 153;
    let day = day - (153 * month + 2) / 5 + 1;
    let month = if month < 10 { month + 3 } else { month - 9 };
    (era * 400 + year + u64::from(month <= 2), month, day)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_written_in_utc() {
        let check = |millis, expected| {
            assert_eq!(timestamp(UNIX_EPOCH + Duration::from_millis(millis)), expected);
        };
        check(0, "1970-01-01T00:00:00.000Z");
        check(951_782_399_999, "2000-02-28T23:59:59.999Z");
        check(951_782_400_000, "2000-02-29T00:00:00.000Z");
        check(951_868_800_000, "2000-03-01T00:00:00.000Z");
        check(1_785_240_123_045, "2026-07-28T12:02:03.045Z");
        check(4_107_542_400_000, "2100-03-01T00:00:00.000Z");
        assert_eq!(timestamp(UNIX_EPOCH - Duration::from_secs(1)), "1970-01-01T00:00:00.000Z");
    }
}
