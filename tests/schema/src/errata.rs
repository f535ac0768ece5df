//! What the standard's authors have corrected in a schema since the copy in `standard` was published.

use serde_json::{Map, Value, json};

/// Members of a definition that are numbers, where the generator of the schema wrote integers: the version, the definition,
/// and the members. The types that it was made from say number, as the later version does.
const NUMBERS: (&str, &str, [&str; 3]) = ("2025-11-25", "NumberSchema", ["default", "maximum", "minimum"]);

/// Corrects the definitions of that version.
pub(super) fn correct(version: &str, definitions: &mut Map<String, Value>) {
    let (of, definition, members) = NUMBERS;
    if version == of {
        for member in members {
            definitions[definition]["properties"][member] = json!({"type": "number"});
        }
    }
}
