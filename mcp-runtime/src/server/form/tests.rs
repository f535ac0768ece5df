//! Forms of types, and answers to them.

use proptest::prelude::*;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

use super::*;
use crate::protocol::elicitation::{
    BooleanSchema, LegacyTitledEnumSchema, NumberSchema, StringSchema, TitledMultiSelectEnumSchema,
    UntitledMultiSelectEnumSchema, UntitledSingleSelectEnumSchema,
};

#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
enum Color {
    Red,
    Green,
}

/// A doc comment of the type
#[derive(Debug, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
enum Size {
    /// Small
    S,
    #[schemars(title = "Large")]
    L,
    Xl,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[allow(dead_code)]
struct Everything {
    /// Full name
    #[schemars(title = "Name", length(min = 1, max = 40))]
    whole_name: String,
    #[schemars(email)]
    email: String,
    #[schemars(url)]
    site: Option<String>,
    #[schemars(extend("format" = "date"))]
    birthday: Option<String>,
    #[schemars(range(min = 18))]
    age: u8,
    count: i64,
    ratio: f64,
    agreed: bool,
    #[serde(default = "ten")]
    pages: u32,
    #[serde(default)]
    news: bool,
    letter: char,
    color: Color,
    maybe: Option<Color>,
    size: Size,
    other: Option<Size>,
    #[schemars(length(min = 1, max = 2))]
    colors: Vec<Color>,
    /// Which sizes
    sizes: Option<Vec<Size>>,
    #[serde(default = "red")]
    set: std::collections::BTreeSet<Word>,
}

#[derive(Debug, PartialEq, Eq, PartialOrd, Ord, Deserialize, Serialize, JsonSchema)]
enum Word {
    Red,
}

fn ten() -> u32 {
    10
}

fn red() -> std::collections::BTreeSet<Word> {
    [Word::Red].into()
}

#[test]
fn a_type_becomes_a_form_in_source_order() {
    let form = ElicitSchema::of::<Everything>().unwrap();
    // schemars puts the variants without a word of their own first; here they stand as in the source.
    let titled = json!([
        {"const": "s", "title": "Small"}, {"const": "l", "title": "Large"}, {"const": "xl", "title": "xl"},
    ]);
    let expected = [
        (
            "wholeName",
            json!({"type": "string", "title": "Name", "description": "Full name", "minLength": 1, "maxLength": 40}),
        ),
        ("email", json!({"type": "string", "format": "email"})),
        ("site", json!({"type": "string", "format": "uri"})),
        ("birthday", json!({"type": "string", "format": "date"})),
        ("age", json!({"type": "integer", "minimum": 18, "maximum": 255})),
        ("count", json!({"type": "integer"})),
        ("ratio", json!({"type": "number"})),
        ("agreed", json!({"type": "boolean"})),
        ("pages", json!({"type": "integer", "minimum": 0, "default": 10})),
        ("news", json!({"type": "boolean", "default": false})),
        ("letter", json!({"type": "string", "minLength": 1, "maxLength": 1})),
        ("color", json!({"type": "string", "enum": ["red", "green"]})),
        ("maybe", json!({"type": "string", "enum": ["red", "green"]})),
        ("size", json!({"type": "string", "description": "A doc comment of the type", "oneOf": titled})),
        ("other", json!({"type": "string", "description": "A doc comment of the type", "oneOf": titled})),
        (
            "colors",
            json!({"type": "array", "items": {"type": "string", "enum": ["red", "green"]}, "minItems": 1, "maxItems": 2}),
        ),
        ("sizes", json!({"type": "array", "description": "Which sizes", "items": {"anyOf": titled}})),
        ("set", json!({"type": "array", "items": {"type": "string", "enum": ["Red"]}, "default": ["Red"]})),
    ];
    let names: Vec<_> = form.properties.iter().map(|(name, _)| name.as_str()).collect();
    assert_eq!(names, expected.each_ref().map(|(name, _)| *name));
    for ((name, schema), (_, expected)) in form.properties.iter().zip(&expected) {
        let mut written = serde_json::to_value(schema).unwrap();
        // Numbers are compared as numbers: schemars writes some bounds as floats.
        for bound in ["minimum", "maximum"] {
            if let Some(value) = written.get(bound).and_then(Value::as_f64) {
                assert!(value.fract() == 0.0, "{name}");
                written[bound] = json!(value as i64);
            }
        }
        assert_eq!(&written, expected, "{name}");
    }
    let required = ["wholeName", "email", "age", "count", "ratio", "agreed", "letter", "color", "size", "colors"];
    assert_eq!(form.required, required);
    assert_eq!(form.validate(), Ok(()));
}

#[test]
fn what_cannot_be_a_form_is_refused_by_its_name() {
    fn check<T: ElicitationForm>(reasons: &[&str]) {
        let error = ElicitSchema::of::<T>().unwrap_err().to_string();
        for reason in reasons {
            assert!(error.contains(reason), "{error}\nlacks {reason}");
        }
    }
    #[derive(Deserialize, JsonSchema)]
    #[allow(dead_code)]
    struct Nested {
        inner: Inner,
        map: std::collections::BTreeMap<String, String>,
        texts: Vec<String>,
        any: Value,
        me: Option<Box<Nested>>,
        unit: (),
        pair: (u8, u8),
        #[schemars(regex(pattern = "^x$"))]
        code: String,
        #[schemars(extend("multipleOf" = 2))]
        even: u8,
        shape: Shape,
        fine: String,
    }
    #[derive(Deserialize, JsonSchema)]
    #[allow(dead_code)]
    struct Inner {
        a: u8,
    }
    #[derive(Deserialize, JsonSchema)]
    #[allow(dead_code)]
    enum Shape {
        Circle(f64),
        Square,
    }
    check::<Nested>(&[
        "Nested` cannot be a form: ",
        "field `inner` is a struct or a map",
        "field `map` is a struct or a map",
        "field `texts` is a list of something else",
        "field `any` ",
        "field `me` is a struct or a map",
        "field `unit` is none of",
        "field `pair` ",
        "field `code` has a `pattern`, which a form cannot say",
        "field `even` has a `multipleOf`",
        "field `shape` is an enum with data",
    ]);
    assert!(!ElicitSchema::of::<Nested>().unwrap_err().to_string().contains("fine"));
    check::<String>(&["no struct with named fields"]);
    check::<Color>(&["no struct with named fields"]);
    check::<Vec<Inner>>(&["no struct with named fields"]);
    check::<Value>(&["any value"]);
    check::<std::collections::BTreeMap<String, u8>>(&["it is a map"]);
    check::<Shape>(&["no struct"]);

    #[derive(Deserialize, JsonSchema)]
    #[allow(dead_code)]
    struct Flat {
        #[serde(flatten)]
        inner: Inner,
        b: bool,
    }
    let form = ElicitSchema::of::<Flat>().unwrap();
    assert_eq!(form.required.len(), 2);
    #[derive(Deserialize, JsonSchema)]
    struct Nothing {}
    assert_eq!(ElicitSchema::of::<Nothing>().unwrap(), ElicitSchema::new());
}

#[test]
fn a_form_by_hand_is_looked_through() {
    let check = |form: ElicitSchema, reason: &str| {
        let error = form.validate().unwrap_err().to_string();
        assert!(error.contains(reason), "{error}");
    };
    let text = StringSchema::new;
    check(ElicitSchema::new().required("a", text()).optional("a", text()), "two fields are named `a`");
    let none: [&str; 0] = [];
    check(ElicitSchema::new().optional("a", UntitledSingleSelectEnumSchema::new(none)), "a choice among nothing");
    check(
        ElicitSchema::new().optional("a", UntitledSingleSelectEnumSchema::new(["x"]).default_value("y")),
        "the default of field `a` must be one of",
    );
    check(
        ElicitSchema::new().optional("a", NumberSchema::integer().minimum(1).default_value(0)),
        "the default of field `a` must be at least 1",
    );
    check(ElicitSchema { properties: vec![], required: vec!["a".into()] }, "requires `a`");
}

fn content(value: Value) -> Map<String, Value> {
    value.as_object().cloned().unwrap_or_default()
}

#[test]
fn an_answer_fits_the_form_or_is_none() {
    let form = || {
        ElicitSchema::new()
            .required("t", StringSchema::new().min_length(2).max_length(3))
            .optional("i", NumberSchema::integer().minimum(-1).maximum(9))
            .optional("n", NumberSchema::number().minimum(0.5))
            .optional("b", BooleanSchema::new())
            .optional("e", LegacyTitledEnumSchema::new([("x", "X"), ("y", "Y")]))
            .optional("m", UntitledMultiSelectEnumSchema::new(["x", "y"]).min_items(1).max_items(2))
            .optional("k", TitledMultiSelectEnumSchema::new([("x", "X")]))
    };
    let good = |answer: Value, expected: Value| {
        assert_eq!(form().read::<Value>(&content(answer.clone())).unwrap(), expected, "{answer}");
    };
    good(json!({"t": "äöü"}), json!({"t": "äöü"}));
    good(json!({"t": "ab", "other": {"deep": 1}}), json!({"t": "ab"}));
    good(json!({"t": "ab", "i": null}), json!({"t": "ab"}));
    good(json!({"t": "ab", "i": 3.0, "n": 7, "b": true}), json!({"t": "ab", "i": 3, "n": 7, "b": true}));
    good(
        json!({"t": "ab", "e": "y", "m": ["y", "x"], "k": []}),
        json!({"t": "ab", "e": "y", "m": ["y", "x"], "k": []}),
    );

    let bad = |answer: Value, reason: &str| {
        let error = form().read::<Value>(&content(answer.clone())).unwrap_err();
        assert!(error.contains(reason), "{answer}: {error}");
    };
    bad(json!({}), "`t` is missing");
    bad(json!({"t": null}), "`t` is missing");
    bad(json!({"t": "a"}), "`t` must have at least 2 characters");
    bad(json!({"t": "abcd"}), "`t` must have at most 3 characters");
    bad(json!({"t": 12}), "`t` must be a text");
    let with = |name: &str, value: Value| json!({"t": "ab", name: value});
    bad(with("i", json!("3")), "`i` must be a number");
    bad(with("i", json!(3.5)), "`i` must be a whole number");
    bad(with("i", json!(1e300)), "`i` must be a whole number");
    bad(with("i", json!(-2)), "`i` must be at least -1");
    bad(with("i", json!(u64::MAX)), "`i` must be at most 9");
    bad(with("n", json!(0.25)), "`n` must be at least 0.5");
    bad(with("b", json!("true")), "`b` must be true or false");
    bad(with("e", json!("X")), "`e` must be one of");
    bad(with("e", json!(["x"])), "`e` must be one of");
    bad(with("m", json!("x")), "`m` must be a list");
    bad(with("m", json!([])), "`m` must have at least 1 values");
    bad(with("m", json!(["x", "y", "x"])), "`m` must have at most 2 values");
    bad(with("m", json!(["z"])), "`m` must be one of");
    bad(with("k", json!([1])), "`k` must be one of");
}

#[test]
fn texts_of_a_kind_are_looked_at() {
    use StringFormat::{Date, DateTime, Email, Uri};
    let check = |format, right: &[&str], wrong: &[&str]| {
        let form = ElicitSchema::new().required("x", StringSchema::new().format(format));
        let reads = |text: &str| form.read::<Value>(&content(json!({ "x": text }))).is_ok();
        for text in right {
            assert!(reads(text), "{text}");
        }
        for text in wrong {
            assert!(!reads(text), "{text}");
        }
    };
    check(Email, &["a@b", "a.b+c@d.example", "\"x@y\"@z"], &["", "a", "@b", "a@", "a b@c", "a@b\n"]);
    check(Uri, &["https://x", "mailto:a@b", "x:y"], &["", "x", ":x", "1x:y", "x:", "x: y", "ht tp://x"]);
    check(
        Date,
        &["2026-07-28", "2024-02-29", "2000-02-29", "0001-12-31"],
        &[
            "2026-7-28",
            "2026-13-01",
            "2025-02-29",
            "1900-02-29",
            "2026-04-31",
            "2026-00-10",
            "2026-01-00",
            "x",
            "2026-07-28T",
            "+026-07-28",
        ],
    );
    check(
        DateTime,
        &["2026-07-28T12:00:00Z", "2026-07-28t23:59:60.123456789+05:30", "2026-07-28T00:00:00-00:00"],
        &[
            "2026-07-28",
            "2026-07-28T12:00Z",
            "2026-07-28T12:00:00",
            "2026-07-28T24:00:00Z",
            "2026-07-28T12:00:00.Z",
            "2026-07-28T12:00:00+5:30",
            "2026-07-28T12:00:00+24:00",
            "2026-07-28 12:00:00Z",
            "2026-07-28T12:00:00Zx",
        ],
    );
}

#[test]
fn an_answer_becomes_the_type_that_was_asked_for() {
    #[derive(Debug, PartialEq, Deserialize, JsonSchema)]
    struct Order {
        color: Color,
        count: Option<u8>,
        #[serde(default)]
        gift: bool,
        #[serde(default)]
        more: Vec<Color>,
    }
    let form = ElicitSchema::of::<Order>().unwrap();
    let read = |answer: Value| form.read::<Order>(&content(answer));
    let order = |count| Order { color: Color::Red, count, gift: false, more: vec![] };
    assert_eq!(read(json!({"color": "red"})), Ok(order(None)));
    assert_eq!(read(json!({"color": "red", "count": 2.0})), Ok(order(Some(2))));
    let expected = Order { color: Color::Green, count: None, gift: true, more: vec![Color::Red] };
    assert_eq!(read(json!({"color": "green", "gift": true, "more": ["red"]})), Ok(expected));
    for (answer, reason) in [
        (json!({"color": "blue"}), "`color` must be one of"),
        (json!({"color": "red", "count": 256}), "`count` must be at most 255"),
        (json!({"color": "red", "count": -1}), "`count` must be at least 0"),
    ] {
        assert!(read(answer).unwrap_err().contains(reason));
    }

    // What the schema cannot say, the type says: its words stay with the server.
    #[derive(Debug, Deserialize, JsonSchema)]
    #[serde(try_from = "String")]
    struct Even;
    impl TryFrom<String> for Even {
        type Error = String;
        fn try_from(text: String) -> Result<Self, String> {
            if text.len().is_multiple_of(2) { Ok(Self) } else { Err(format!("{text} is odd")) }
        }
    }
    #[derive(Debug, Deserialize, JsonSchema)]
    #[allow(dead_code)]
    struct Odd {
        word: Even,
    }
    let form = ElicitSchema::new().required("word", StringSchema::new());
    assert_eq!(form.read::<Odd>(&content(json!({"word": "abc"}))).unwrap_err(), "`word` is not what was asked for");
    assert!(form.read::<Odd>(&content(json!({"word": "ab"}))).is_ok());
}

proptest! {
    #[test]
    fn no_answer_panics_and_none_is_taken_that_does_not_fit(
        text in ".{0,6}", number in any::<f64>(), whole in any::<i64>(), kind in 0..6usize, name in "[a-e]",
    ) {
        let value = match kind {
            0 => json!(text),
            1 => json!(number),
            2 => json!(whole),
            3 => json!([text]),
            4 => json!({ "a": text }),
            _ => Value::Null,
        };
        let form = ElicitSchema::new()
            .optional("a", StringSchema::new().max_length(3))
            .optional("b", NumberSchema::integer().minimum(0).maximum(9))
            .optional("c", StringSchema::new().format(StringFormat::DateTime))
            .optional("d", UntitledMultiSelectEnumSchema::new(["x"]))
            .optional("e", BooleanSchema::new());
        if let Ok(read) = form.read::<Value>(&content(json!({ name: value }))) {
            prop_assert!(read["a"].as_str().is_none_or(|text| text.chars().count() <= 3));
            prop_assert!(read["b"].is_null() || read["b"].as_i64().is_some_and(|n| (0..=9).contains(&n)));
            prop_assert!(read["d"].as_array().is_none_or(|all| all.iter().all(|one| one == "x")));
            prop_assert!(read["e"].is_null() || read["e"].is_boolean());
        }
    }
}
