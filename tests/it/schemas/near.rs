//! JSON near some values: with something of the wrong kind, out of range, missing or added.

use proptest::{collection::vec, prelude::*, sample::select};
use serde_json::{Map, Value, json};

/// The values themselves, and what becomes of them by up to three changes.
pub(crate) fn values(values: Vec<Value>) -> impl Strategy<Value = Value> {
    let change = (any::<u16>(), 0_u8..4, select(atoms()), select(NAMES.to_vec()));
    (select(values), vec(change, 0..=3)).prop_map(|(mut value, changes)| {
        for (place, kind, atom, name) in changes {
            let count = count(&value);
            change_at(&mut value, usize::from(place) % count, &mut |at| match (kind, &mut *at) {
                (1, Value::Object(members)) => drop(members.insert(name.to_owned(), atom.clone())),
                (1, Value::Array(items)) => items.push(atom.clone()),
                (2, Value::Object(members)) => {
                    let first = members.keys().nth(usize::from(place) % members.len().max(1)).cloned();
                    first.and_then(|name| members.remove(&name));
                }
                (2, Value::Array(items)) => drop(items.pop()),
                (3, Value::Array(items)) => items.extend(items.first().cloned()),
                _ => *at = atom.clone(),
            });
        }
        value
    })
}

/// The value with `5` for each `5.0`.
pub(crate) fn with_whole_numbers(value: &Value) -> Value {
    const EXACT: f64 = 9_007_199_254_740_992.0;
    match value {
        #[allow(clippy::cast_possible_truncation)]
        Value::Number(number) if number.is_f64() => match number.as_f64() {
            Some(number) if number.fract() == 0.0 && number.abs() <= EXACT => json!(number as i64),
            _ => value.clone(),
        },
        Value::Array(items) => items.iter().map(with_whole_numbers).collect(),
        Value::Object(members) => {
            members.iter().map(|(name, value)| (name.clone(), with_whole_numbers(value))).collect::<Map<_, _>>().into()
        }
        _ => value.clone(),
    }
}

/// Whether there is a number in it that is none of an `i64`, or of a `u64`.
pub(crate) fn is_beyond_64_bits(value: &Value) -> bool {
    match value {
        Value::Number(number) => number.as_i64().is_none() && number.as_f64().is_some_and(|it| it.fract() == 0.0),
        Value::Array(items) => items.iter().any(is_beyond_64_bits),
        Value::Object(members) => members.values().any(is_beyond_64_bits),
        _ => false,
    }
}

const NAMES: [&str; 12] = ["a", "b", "x", "y", "kind", "c", "7", "-7", "next", "Level", "red", "other"];

fn atoms() -> Vec<Value> {
    let numbers = [-129, -128, -1, 0, 1, 127, 128, 255, 256, 32_768, 2_147_483_648, 4_294_967_296, i64::MIN, i64::MAX];
    let mut atoms: Vec<_> = numbers.into_iter().map(Value::from).collect();
    atoms.extend([json!(u64::MAX), json!(1e20), json!(5.0), json!(-1.0), json!(0.5), json!(null), json!(true)]);
    atoms.extend(["", "a", "ab", "red", "mute", "Off", "empty", "5", "null"].map(Value::from));
    atoms.extend([json!([]), json!({}), json!([1]), json!([null]), json!({"x": 1, "y": 2}), json!({"Off": null})]);
    atoms.extend([json!({"kind": "empty"}), json!({"label": "a"}), json!({"red": null}), json!(["empty"])]);
    atoms
}

/// How many values there are in it, itself among them.
fn count(value: &Value) -> usize {
    1 + match value {
        Value::Array(items) => items.iter().map(count).sum(),
        Value::Object(members) => members.values().map(count).sum(),
        _ => 0,
    }
}

/// Changes the value that is met at that number.
fn change_at(value: &mut Value, place: usize, change: &mut dyn FnMut(&mut Value)) {
    let Some(mut place) = place.checked_sub(1) else { return change(value) };
    let below: Vec<&mut Value> = match value {
        Value::Array(items) => items.iter_mut().collect(),
        Value::Object(members) => members.values_mut().collect(),
        _ => Vec::new(),
    };
    for value in below {
        let size = count(value);
        if place < size {
            return change_at(value, place, change);
        }
        place -= size;
    }
}
