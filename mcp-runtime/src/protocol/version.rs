//! The versions of the protocol, and one predicate for each thing in which they differ.

use std::fmt;

/// A version of the Model Context Protocol, by its date.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum ProtocolVersion {
    /// 2024-11-05: the first.
    V2024_11_05,
    /// 2025-03-26: batches, tool annotations, audio.
    V2025_03_26,
    /// 2025-06-18: structured content, resource links, titles.
    V2025_06_18,
    /// 2025-11-25: icons, tasks.
    V2025_11_25,
    /// 2026-07-28: no sessions; each request says who asks, and in which version.
    V2026_07_28,
}

impl ProtocolVersion {
    /// All versions, oldest first.
    pub const ALL: [Self; 5] =
        [Self::V2024_11_05, Self::V2025_03_26, Self::V2025_06_18, Self::V2025_11_25, Self::V2026_07_28];

    /// All versions that a handshake can agree on, oldest first.
    pub const WITH_HANDSHAKE: [Self; 4] = [Self::V2024_11_05, Self::V2025_03_26, Self::V2025_06_18, Self::V2025_11_25];

    /// The newest version that a handshake can agree on.
    pub const LATEST_WITH_HANDSHAKE: Self = Self::V2025_11_25;

    /// The version of a client of Streamable HTTP that names none in its headers.
    pub const WITHOUT_HEADER: Self = Self::V2025_03_26;

    /// The versions in which each request speaks for itself.
    pub const STATELESS: [Self; 1] = [Self::V2026_07_28];

    /// The date, as it stands on the wire.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::V2024_11_05 => "2024-11-05",
            Self::V2025_03_26 => "2025-03-26",
            Self::V2025_06_18 => "2025-06-18",
            Self::V2025_11_25 => "2025-11-25",
            Self::V2026_07_28 => "2026-07-28",
        }
    }

    /// The version of that date, if it is one.
    pub fn parse(date: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|version| version.as_str() == date)
    }

    /// What `initialize` answers to a client that asks for `date`: that version where a handshake can agree on it, else
    /// the newest with which it can.
    pub fn negotiate(date: &str) -> Self {
        Self::parse(date).filter(|version| !version.is_stateless()).unwrap_or(Self::LATEST_WITH_HANDSHAKE)
    }

    /// Whether each request speaks for itself: there is no handshake, no session, and no request of the server's.
    pub const fn is_stateless(self) -> bool {
        matches!(self, Self::V2026_07_28)
    }

    /// Whether an array of messages is a message (basic, "Batching").
    pub(crate) fn has_batching(self) -> bool {
        self == Self::V2025_03_26
    }

    /// Whether an error whose request's id could not be read leaves `id` out, rather than sending null.
    pub(crate) fn may_omit_error_id(self) -> bool {
        self >= Self::V2025_11_25
    }

    /// Whether a stream begins with an event that says nothing, so that its client can come back from the first byte on:
    /// then the server may end its connection before it is over.
    #[cfg(feature = "http")]
    pub(crate) fn has_polling(self) -> bool {
        self >= Self::V2025_11_25 && !self.is_stateless()
    }

    pub(crate) fn has_audio_content(self) -> bool {
        self >= Self::V2025_03_26
    }

    pub(crate) fn has_tool_annotations(self) -> bool {
        self >= Self::V2025_03_26
    }

    pub(crate) fn has_progress_message(self) -> bool {
        self >= Self::V2025_03_26
    }

    pub(crate) fn has_completions_capability(self) -> bool {
        self >= Self::V2025_03_26
    }

    pub(crate) fn has_structured_content(self) -> bool {
        self >= Self::V2025_06_18
    }

    pub(crate) fn has_resource_links(self) -> bool {
        self >= Self::V2025_06_18
    }

    /// `title` on tools, resources, prompts, arguments and implementations.
    pub(crate) fn has_titles(self) -> bool {
        self >= Self::V2025_06_18
    }

    /// `_meta` on objects other than params and results.
    pub(crate) fn has_object_meta(self) -> bool {
        self >= Self::V2025_06_18
    }

    /// `annotations.lastModified`.
    pub(crate) fn has_last_modified(self) -> bool {
        self >= Self::V2025_06_18
    }

    /// `icons`, and an implementation's `description` and `websiteUrl`.
    pub(crate) fn has_icons(self) -> bool {
        self >= Self::V2025_11_25
    }

    /// Whether `structuredContent` and `outputSchema` may be anything but an object.
    pub(crate) fn has_structured_values(self) -> bool {
        self >= Self::V2026_07_28
    }

    /// Whether results say what kind they are (`resultType`), who gave them, and how long they keep.
    pub(crate) fn has_result_type(self) -> bool {
        self >= Self::V2026_07_28
    }

    /// `elicitation/create`.
    pub(crate) fn has_elicitation(self) -> bool {
        self >= Self::V2025_06_18
    }

    /// Forms with titled and multiple choices and all defaults, and pages to visit, told apart by a `mode`.
    pub(crate) fn has_elicitation_modes(self) -> bool {
        self >= Self::V2025_11_25
    }

    /// `elicitationId`, by which the visit of a page is told to be over.
    pub(crate) fn has_elicitation_id(self) -> bool {
        self == Self::V2025_11_25
    }

    /// Tools in questions to the client's model, and messages of several blocks.
    pub(crate) fn has_sampling_tools(self) -> bool {
        self >= Self::V2025_11_25
    }

    /// Tasks as part of the core: the client asks for one, and fetches the result by `tasks/result`.
    pub(crate) fn has_core_tasks(self) -> bool {
        self == Self::V2025_11_25
    }

    /// Tasks as an extension: the server decides on one, and its result stands in `tasks/get`.
    pub(crate) fn has_tasks_extension(self) -> bool {
        self >= Self::V2026_07_28
    }

    /// Its place in tables that hold one entry a version.
    pub(crate) fn index(self) -> usize {
        self as usize
    }
}

impl fmt::Display for ProtocolVersion {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

#[cfg(test)]
mod tests {
    use super::ProtocolVersion;

    #[test]
    fn a_date_names_its_version_and_an_unknown_one_gets_the_newest() {
        for version in ProtocolVersion::WITH_HANDSHAKE {
            assert_eq!(ProtocolVersion::negotiate(version.as_str()), version);
        }
        for date in ["2024-10-07", "2026-07-28", "", "garbage", "2025-11-25 "] {
            assert_eq!(ProtocolVersion::negotiate(date), ProtocolVersion::V2025_11_25, "{date}");
        }
    }
}
