//! What a schema's description says in place of keywords that some clients refuse.

use serde_json::{Map, Value};

/// Adds a remark to what is said already: `The page (format: uri)`.
pub(super) fn note(schema: &mut Map<String, Value>, remark: &str) {
    let description = match schema.get("description").and_then(Value::as_str) {
        Some(said) => format!("{said} ({remark})"),
        None => remark.to_owned(),
    };
    schema.insert("description".to_owned(), description.into());
}

/// Says in words what annotations say, but for those that all clients know.
pub(super) fn say_annotations(schema: &mut Map<String, Value>) {
    // Most schemas have none of them.
    if !schema.keys().any(|keyword| is_said(keyword)) {
        return;
    }
    for keyword in ["readOnly", "writeOnly", "$comment", "$schema"] {
        schema.remove(keyword);
    }
    if schema.remove("deprecated") == Some(Value::Bool(true)) {
        note(schema, "deprecated");
    }
    if let Some(Value::Array(examples)) = schema.remove("examples")
        && !examples.is_empty()
    {
        let examples: Vec<_> = examples.iter().map(Value::to_string).collect();
        note(schema, &format!("e.g. {}", examples.join(", ")));
    }
}

fn is_said(keyword: &str) -> bool {
    matches!(keyword, "readOnly" | "writeOnly" | "$comment" | "$schema" | "deprecated" | "examples")
}

/// What is said of the values of a list, a line for each; nothing where nothing is said of any.
pub(super) fn say_values<'a>(values: impl Iterator<Item = (&'a Value, Option<&'a str>)>) -> String {
    let lines = values.filter_map(|(value, said)| {
        let value = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
        said.map(|said| format!("- `{value}`: {}", said.replace('\n', " ")))
    });
    lines.collect::<Vec<_>>().join("\n")
}

/// Which members of a choice among objects go together: `either kind "circle", radius; or kind "square", side`.
pub(super) fn say_members(choices: &[Value]) -> String {
    let member = |(name, schema): (&String, &Value)| match schema["enum"].as_array().map(Vec::as_slice) {
        Some([only]) => format!("{name} {only}"),
        _ => name.clone(),
    };
    let sets = choices.iter().map(|choice| {
        let members = choice["properties"].as_object().into_iter().flatten().map(member);
        // What tells the choices apart is said first.
        let (mut said, others): (Vec<_>, Vec<_>) = members.partition(|member| member.contains(' '));
        said.extend(others);
        said.join(", ")
    });
    format!("either {}", sets.collect::<Vec<_>>().join("; or "))
}
