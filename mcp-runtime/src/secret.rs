//! Text that nothing shows: keys, client secrets (floor 0: shared by every floor above).

use std::fmt;

use serde::{Serialize, Serializer};

/// Text that neither `Debug` nor `Display` nor serialisation shows.
///
/// ```
/// use mcp_runtime::Secret;
///
/// let secret = Secret::from("hunter2");
/// assert_eq!(format!("{secret} {secret:?}"), "[hidden] [hidden]");
/// assert_eq!(secret.expose(), "hunter2");
/// ```
#[derive(Clone, Default, Eq, PartialEq)]
pub struct Secret(String);

const HIDDEN: &str = "[hidden]";

impl Secret {
    /// The text itself.
    pub fn expose(&self) -> &str {
        &self.0
    }
}

impl From<&str> for Secret {
    fn from(text: &str) -> Self {
        Self(text.to_owned())
    }
}

impl From<String> for Secret {
    fn from(text: String) -> Self {
        Self(text)
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(HIDDEN)
    }
}

impl fmt::Display for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(HIDDEN)
    }
}

impl Serialize for Secret {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(HIDDEN)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_shows_it() {
        let secret = Secret::from("hunter2");
        assert_eq!(serde_json::to_string(&secret).unwrap(), "\"[hidden]\"");
        assert_eq!(format!("{secret:#?}{secret}"), "[hidden][hidden]");
    }
}
