//! The types of the table that are declared here: one for each thing that `serde` and `schemars` let a type say.

#![allow(dead_code, reason = "they are decoded and looked at by nobody")]

use std::{
    collections::{BTreeMap, HashMap},
    net::IpAddr,
};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// A place.
#[derive(Deserialize, JsonSchema)]
pub(crate) struct Point {
    /// To the right
    x: i32,
    y: i32,
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Sealed {
    a: u8,
}

#[derive(Deserialize, JsonSchema)]
pub(crate) struct Nothing {}

#[derive(Deserialize, JsonSchema)]
pub(crate) struct Unit;

#[derive(Deserialize, JsonSchema)]
pub(crate) struct Wrapped(u8);

#[derive(Deserialize, JsonSchema)]
pub(crate) struct WrappedOption(Option<u8>);

#[derive(Deserialize, JsonSchema)]
#[serde(transparent)]
pub(crate) struct Transparent {
    inner: Vec<u8>,
}

#[derive(Deserialize, JsonSchema)]
pub(crate) struct Pair(u8, String);

#[derive(Deserialize, JsonSchema)]
pub(crate) struct Options {
    plain: Option<u8>,
    twice: Option<Option<String>>,
    point: Option<Point>,
    colour: Option<Colour>,
    anything: Option<Value>,
    #[serde(default)]
    defaulted: Option<bool>,
}

#[derive(Deserialize, JsonSchema)]
pub(crate) struct Defaults {
    #[serde(default)]
    list: Vec<u8>,
    #[serde(default = "seven")]
    count: u32,
}

fn seven() -> u32 {
    7
}

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Renamed {
    first_name: String,
    #[serde(rename = "surname", alias = "family")]
    last_name: String,
    #[serde(skip)]
    secret: u8,
}

#[derive(Deserialize, JsonSchema)]
pub(crate) struct Bounded {
    #[schemars(range(min = 1, max = 8))]
    guests: u8,
    #[schemars(length(min = 2, max = 4), regex(pattern = "^[a-z]+$"))]
    code: String,
    #[schemars(length(max = 2))]
    tags: Vec<String>,
    #[schemars(extend("exclusiveMinimum" = 0, "exclusiveMaximum" = 10))]
    between: i64,
}

#[derive(Deserialize, JsonSchema)]
pub(crate) struct Spoken {
    /// Where it is
    #[schemars(url)]
    page: String,
    #[schemars(example = 5, example = 7)]
    size: u64,
    #[deprecated]
    old: Option<bool>,
    when: Moment,
}

/// When it was.
#[derive(Deserialize, JsonSchema)]
pub(crate) struct Moment(#[schemars(extend("format" = "date-time"))] String);

#[derive(Deserialize, JsonSchema)]
pub(crate) struct Foreign {
    #[schemars(with = "String")]
    by_type: IpAddr,
    #[serde(deserialize_with = "digits")]
    #[schemars(with = "u8", range(max = 9))]
    digit: u8,
}

fn digits<'de, D: serde::Deserializer<'de>>(deserializer: D) -> Result<u8, D::Error> {
    let digit = u8::deserialize(deserializer)?;
    if digit < 10 { Ok(digit) } else { Err(serde::de::Error::custom("not a digit")) }
}

#[derive(Deserialize, JsonSchema)]
pub(crate) struct WithStruct {
    a: u8,
    #[serde(flatten)]
    point: Point,
}

#[derive(Deserialize, JsonSchema)]
pub(crate) struct WithMap {
    a: u8,
    #[serde(flatten)]
    others: HashMap<String, u8>,
}

#[derive(Deserialize, JsonSchema)]
pub(crate) struct WithAnything {
    a: u8,
    #[serde(flatten)]
    others: Map<String, Value>,
}

#[derive(Deserialize, JsonSchema)]
pub(crate) struct WithShape {
    a: u8,
    #[serde(flatten)]
    shape: Shape,
}

#[derive(Clone, Copy, Deserialize, Serialize, JsonSchema, PartialEq, Eq, PartialOrd, Ord)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Colour {
    Red,
    Green,
}

/// How loud.
#[derive(Deserialize, Serialize, JsonSchema, PartialEq, Eq, Hash)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Volume {
    Mute,
    /// As a whisper
    VeryLow,
    /// As a shout
    High,
}

#[derive(Deserialize, JsonSchema)]
pub(crate) enum Single {
    Only,
}

/// A figure.
#[derive(Deserialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "lowercase")]
pub(crate) enum Shape {
    /// Round
    Circle {
        radius: f64,
    },
    Square {
        side: f64,
        name: Option<String>,
    },
    Empty,
    At(Point),
}

#[derive(Deserialize, JsonSchema)]
#[serde(tag = "t", content = "c")]
pub(crate) enum Adjacent {
    None,
    Number(u8),
    Named { x: u8 },
}

#[derive(Deserialize, JsonSchema)]
pub(crate) enum External {
    Off,
    /// Half of it
    Half,
    Level(u8),
    Both(u8, bool),
    Named {
        x: u8,
    },
}

#[derive(Deserialize, JsonSchema)]
#[serde(untagged)]
pub(crate) enum Untagged {
    Text(String),
    Number(u8),
    Point(Point),
}

/// A node.
#[derive(Deserialize, JsonSchema)]
pub(crate) struct Tree {
    /// Its text
    label: String,
    #[serde(default)]
    children: Vec<Tree>,
    /// One more
    other: Option<Box<Tree>>,
}

#[derive(Deserialize, JsonSchema)]
pub(crate) struct Even {
    next: Option<Box<Odd>>,
}

#[derive(Deserialize, JsonSchema)]
pub(crate) struct Odd {
    next: Box<Even>,
}

#[derive(Deserialize, JsonSchema)]
pub(crate) enum Expression {
    Value(i64),
    Sum(Vec<Expression>),
}

#[derive(Deserialize, JsonSchema)]
pub(crate) struct Page<T> {
    items: Vec<T>,
    total: u16,
}

#[derive(Deserialize, JsonSchema)]
pub(crate) struct Deep {
    by_name: BTreeMap<String, Vec<Point>>,
    choice: Option<Shape>,
}
