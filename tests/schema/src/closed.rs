//! A schema in which an object has no members but those that it lists.
//!
//! The standard's objects are open, so that a client may read what a newer server says. What this framework says to a client
//! of a version is another matter: it should be of that version.

use std::collections::BTreeSet;

use serde_json::{Map, Value, json};

use super::reference;

/// Members that are open although the schema does not say so: their definition, their name.
const OPEN: [(&str, &str); 2] = [
    // JSON Schemas of the server's author: the standard lists the keywords that it requires, not all there are.
    ("Tool", "inputSchema"),
    ("Tool", "outputSchema"),
];

/// Definitions that are closed although the schema says that they are open.
const CLOSED: [&str; 1] = [
    // Open for the sake of the results that extend it. As a result of its own it is the empty one.
    "Result",
];

/// The definitions, closed.
pub(super) fn close(definitions: &Map<String, Value>) -> Map<String, Value> {
    let close = |(name, schema): (&String, &Value)| {
        let mut schema = schema.clone();
        if CLOSED.contains(&name.as_str()) {
            schema["additionalProperties"] = json!(false);
        }
        // Free keys with a grammar of their own.
        let open = name.ends_with("MetaObject") || name.ends_with("Meta");
        (name.clone(), Closing { definitions, name }.schema(&schema, open))
    };
    definitions.iter().map(close).collect()
}

struct Closing<'a> {
    definitions: &'a Map<String, Value>,
    /// The definition that is being closed.
    name: &'a str,
}

impl Closing<'_> {
    fn schema(&self, schema: &Value, open: bool) -> Value {
        let Value::Object(members) = schema else { return schema.clone() };
        if members.contains_key("allOf") {
            return self.schema(&self.merged(schema), open);
        }
        let mut closed = members.clone();
        for (keyword, value) in &mut closed {
            match (keyword.as_str(), &mut *value) {
                ("properties", Value::Object(properties)) => {
                    for (name, property) in properties {
                        let open = name == "_meta" || OPEN.contains(&(self.name, name));
                        *property = self.schema(property, open);
                    }
                }
                ("anyOf" | "oneOf", Value::Array(choices)) => {
                    for choice in choices {
                        *choice = self.schema(choice, open);
                    }
                }
                ("items" | "additionalProperties", _) => *value = self.schema(value, false),
                _ => {}
            }
        }
        let lists_members =
            members.get("properties").and_then(Value::as_object).is_some_and(|listed| !listed.is_empty());
        if lists_members && !open {
            closed.entry("additionalProperties").or_insert(json!(false));
        }
        closed.into()
    }

    /// `allOf` as one object: each branch alone would refuse the members of the others.
    fn merged(&self, schema: &Value) -> Value {
        let (mut properties, mut required) = (Map::new(), BTreeSet::new());
        for branch in schema["allOf"].as_array().expect("branches") {
            let branch = reference(branch).map_or(branch, |name| &self.definitions[name]);
            properties.extend(branch["properties"].as_object().expect("members").clone());
            required.extend(branch["required"].as_array().into_iter().flatten().filter_map(Value::as_str));
        }
        json!({"type": "object", "properties": properties, "required": required})
    }
}
