//! Completion of arguments: `completion/complete`.

use serde::{Deserialize, Serialize};

use super::Meta;

/// The most values that one answer may hold.
pub const MAX_VALUES: usize = 100;

/// The answer to `completion/complete`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct CompleteResult {
    /// The values.
    pub completion: Completion,
    /// Free keys.
    #[serde(rename = "_meta", default, skip_serializing_if = "Option::is_none")]
    pub meta: Option<Meta>,
}

/// The values that an argument may take.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Completion {
    /// At most 100 of them.
    pub values: Vec<String>,
    /// How many there are in all.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub total: Option<u64>,
    /// Whether some were left out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub has_more: Option<bool>,
}

impl Completion {
    /// The first 100 of `values`, and whether there were more.
    pub fn new(mut values: Vec<String>) -> Self {
        let total = values.len();
        values.truncate(MAX_VALUES);
        Self { values, total: Some(total as u64), has_more: Some(total > MAX_VALUES) }
    }
}
