//! The table: what a client is sent for each type, what fits, and what does not.

use std::{
    collections::{BTreeMap, BTreeSet, HashMap, HashSet, VecDeque},
    net::{IpAddr, Ipv4Addr},
    num::{NonZeroI8, NonZeroU8},
    ops::{Bound, Range},
    path::PathBuf,
    time::{Duration, SystemTime},
};

use mcp_runtime::prelude::*;
use serde_json::{Map, Value, json};

use super::{
    Difference::{self, *},
    types::*,
};

/// One type.
pub(crate) struct Row {
    pub(crate) name: &'static str,
    pub(crate) ty: &'static str,
    /// The schema of the argument, with the definitions that it needs.
    pub(crate) schema: Value,
    pub(crate) takes: Vec<Value>,
    pub(crate) refuses: Vec<Value>,
    pub(crate) differs: &'static [Difference],
}

macro_rules! table {
    ($($name:ident: $ty:ty => $schema:tt, takes $takes:tt, refuses $refuses:tt, differs [$($differs:ident)?];)*) => {
        $(
            /// Takes a value of the type
            #[allow(clippy::boxed_local, reason = "a box is one of the types")]
            #[mcp_tool(strict)]
            fn $name(value: $ty) {
                let _ = value;
            }
        )*

        /// All types.
        pub(crate) fn rows() -> Vec<Row> {
            let values = |values: Value| values.as_array().cloned().unwrap_or_default();
            vec![$(Row {
                name: stringify!($name),
                ty: stringify!($ty),
                schema: json!($schema),
                takes: values(json!($takes)),
                refuses: values(json!($refuses)),
                differs: &[$($differs)?],
            }),*]
        }

        /// A server with a tool for each.
        pub(crate) fn server() -> McpServer {
            McpServer::new(ServerOptions::default())$(.tool::<$name>())*
        }
    };
}

table! {
    boolean: bool => {"type": "boolean"},
        takes [true, false],
        refuses [0, "true", null],
        differs [];

    small: u8 => {"type": "integer", "minimum": 0, "maximum": 255},
        takes [0, 255],
        refuses [-1, 256, 1.5, "1", null],
        differs [];

    short: i16 => {"type": "integer", "minimum": -32768, "maximum": 32767},
        takes [-32768, 32767],
        refuses [32768, true],
        differs [];

    signed: i32 => {"type": "integer", "minimum": -2147483648, "maximum": 2147483647},
        takes [-2147483648, 2147483647],
        refuses [2147483648_i64, -2147483649_i64, []],
        differs [];

    unsigned: u32 => {"type": "integer", "minimum": 0, "maximum": 4_294_967_295_u32},
        takes [0, 4294967295_u32],
        refuses [-1, 4294967296_u64],
        differs [];

    long: i64 => {"type": "integer"},
        takes [-9223372036854775808_i64, 9223372036854775807_i64],
        refuses [0.5, "x", {}],
        differs [BeyondItsBits];

    unsigned_long: u64 => {"type": "integer", "minimum": 0},
        takes [0, 18446744073709551615_u64],
        refuses [-1, null],
        differs [BeyondItsBits];

    size: usize => {"type": "integer", "minimum": 0},
        takes [0, 7],
        refuses [-1, 0.5],
        differs [BeyondItsBits];

    huge: i128 => {"type": "integer"},
        takes [-1, 7],
        refuses ["1", 0.5],
        differs [BeyondItsBits];

    unsigned_huge: u128 => {"type": "integer", "minimum": 0},
        takes [7],
        refuses [-1, 0.5],
        differs [BeyondItsBits];

    single_precision: f32 => {"type": "number"},
        takes [1, 1.5, -2],
        refuses ["1.5", null],
        differs [];

    double_precision: f64 => {"type": "number"},
        takes [1, 1.5, -2, 1e300],
        refuses ["1.5", null, []],
        differs [];

    any_number: serde_json::Number => {"type": "number"},
        takes [1, 1.5],
        refuses ["1", null],
        differs [];

    not_zero: NonZeroU8 => {"type": "integer", "minimum": 1, "maximum": 255},
        takes [1, 255],
        refuses [0, 256],
        differs [];

    hole: NonZeroI8 => {"type": "integer", "description": "not 0", "minimum": -128, "maximum": 127},
        takes [-1, 1],
        refuses [128, "1"],
        differs [Hole];

    character: char => {"type": "string", "minLength": 1, "maxLength": 1},
        takes ["a", "é"],
        refuses ["", "ab", 5],
        differs [];

    text: String => {"type": "string"},
        takes ["", "a"],
        refuses [5, null, ["a"]],
        differs [];

    boxed_text: Box<str> => {"type": "string"},
        takes ["a"],
        refuses [5, null],
        differs [];

    boxed: Box<u8> => {"type": "integer", "minimum": 0, "maximum": 255},
        takes [5],
        refuses [256, null],
        differs [];

    path: PathBuf => {"type": "string"},
        takes ["/tmp"],
        refuses [5, null],
        differs [];

    ip_v4: Ipv4Addr => {"type": "string", "description": "format: ipv4"},
        takes ["127.0.0.1"],
        refuses [5, null],
        differs [Grammar];

    ip: IpAddr => {"type": "string", "description": "format: ip"},
        takes ["127.0.0.1", "::1"],
        refuses [5, null],
        differs [Grammar];

    unit: () => {"type": "null"},
        takes [null],
        refuses [0, {}, ""],
        differs [];

    option: Option<u32> => {"type": "integer", "minimum": 0, "maximum": 4_294_967_295_u32},
        takes [0, 7],
        refuses [-1, "7"],
        differs [];

    option_of_option: Option<Option<String>> => {"type": "string"},
        takes ["a"],
        refuses [5],
        differs [];

    list: Vec<u8> => {"type": "array", "items": {"type": "integer", "minimum": 0, "maximum": 255}},
        takes [[], [1, 2]],
        refuses [[256], {}, 1, [null]],
        differs [];

    list_of_options: Vec<Option<u8>> => {
        "type": "array", "items": {"anyOf": [{"type": "integer", "minimum": 0, "maximum": 255}, {"type": "null"}]}
    },
        takes [[], [1, null]],
        refuses [["1"], [256]],
        differs [];

    list_of_optional_enums: Vec<Option<Volume>> => {
        "type": "array",
        "items": {
            "description": "How loud.\n\n- `very_low`: As a whisper\n- `high`: As a shout",
            "anyOf": [{"type": "string", "enum": ["mute", "very_low", "high"]}, {"type": "null"}]
        }
    },
        takes [["mute", null]],
        refuses [["loud"], "mute"],
        differs [];

    set: HashSet<String> => {"type": "array", "description": "each item once", "items": {"type": "string"}},
        takes [[], ["a", "a"]],
        refuses [[1], "a"],
        differs [];

    ordered_set: BTreeSet<u8> => {
        "type": "array", "description": "each item once", "items": {"type": "integer", "minimum": 0, "maximum": 255}
    },
        takes [[1, 1]],
        refuses [[-1]],
        differs [];

    queue: VecDeque<bool> => {"type": "array", "items": {"type": "boolean"}},
        takes [[true]],
        refuses [[1]],
        differs [];

    array: [u8; 3] => {
        "type": "array", "items": {"type": "integer", "minimum": 0, "maximum": 255}, "minItems": 3, "maxItems": 3
    },
        takes [[1, 2, 3]],
        refuses [[1, 2], [1, 2, 3, 4], [1, 2, "3"]],
        differs [];

    empty_array: [u8; 0] => {"type": "array", "items": {"type": "string"}, "maxItems": 0},
        takes [[]],
        refuses [[1], null],
        differs [];

    tuple_of_one: (u8,) => {
        "type": "array", "items": {"type": "integer", "minimum": 0, "maximum": 255}, "minItems": 1, "maxItems": 1
    },
        takes [[1]],
        refuses [[], [1, 2], 1],
        differs [];

    tuple_of_alike: (u8, u8) => {
        "type": "array", "items": {"type": "integer", "minimum": 0, "maximum": 255}, "minItems": 2, "maxItems": 2
    },
        takes [[1, 2]],
        refuses [[1], [1, 2, 3], ["1", 2]],
        differs [];

    tuple: (u8, String) => {
        "type": "array", "prefixItems": [{"type": "integer", "minimum": 0, "maximum": 255}, {"type": "string"}],
        "items": {"anyOf": [{"type": "integer", "minimum": 0, "maximum": 255}, {"type": "string"}]}, "minItems": 2,
        "maxItems": 2
    },
        takes [[1, "a"]],
        refuses [["a", 1], [1], [1, "a", 2]],
        differs [];

    tuple_with_option: (u8, Option<u8>) => {
        "type": "array",
        "prefixItems": [
            {"type": "integer", "minimum": 0, "maximum": 255},
            {"anyOf": [{"type": "integer", "minimum": 0, "maximum": 255}, {"type": "null"}]}
        ],
        "items": {"anyOf": [{"type": "integer", "minimum": 0, "maximum": 255}, {"type": "null"}]}, "minItems": 2,
        "maxItems": 2
    },
        takes [[1, 2], [1, null]],
        refuses [[1], [null, 1]],
        differs [];

    map: HashMap<String, u8> => {
        "type": "object", "additionalProperties": {"type": "integer", "minimum": 0, "maximum": 255}
    },
        takes [{}, {"a": 1}],
        refuses [{"a": "1"}, []],
        differs [];

    map_by_number: BTreeMap<u8, String> => {
        "type": "object", "patternProperties": {"^\\d+$": {"type": "string"}}, "additionalProperties": false
    },
        takes [{}, {"7": "a"}],
        refuses [{"a": "a"}, {"7": 7}],
        differs [Keys];

    map_by_signed: HashMap<i8, bool> => {
        "type": "object", "patternProperties": {"^-?\\d+$": {"type": "boolean"}}, "additionalProperties": false
    },
        takes [{"-7": true}],
        refuses [{"a": true}, {"7": 7}],
        differs [Keys];

    map_by_enum: BTreeMap<Colour, u8> => {
        "type": "object",
        "properties": {
            "green": {"type": "integer", "minimum": 0, "maximum": 255},
            "red": {"type": "integer", "minimum": 0, "maximum": 255}
        },
        "additionalProperties": false
    },
        takes [{}, {"red": 1}],
        refuses [{"blue": 1}, {"red": "1"}],
        differs [];

    map_by_documented_enum: HashMap<Volume, u8> => {
        "type": "object", "additionalProperties": {"type": "integer", "minimum": 0, "maximum": 255}
    },
        takes [{"mute": 1}],
        refuses [{"mute": "1"}],
        differs [Keys];

    anything: Value => {},
        takes [null, 1, "a", [1], {"a": 1}],
        refuses [],
        differs [];

    any_object: Map<String, Value> => {"type": "object", "additionalProperties": true},
        takes [{}, {"a": null}],
        refuses [[], null, "a"],
        differs [];

    duration: Duration => {
        "type": "object",
        "properties": {
            "nanos": {"type": "integer", "minimum": 0, "maximum": 4_294_967_295_u32},
            "secs": {"type": "integer", "minimum": 0}
        },
        "required": ["secs", "nanos"], "additionalProperties": false
    },
        takes [{"secs": 1, "nanos": 5}],
        refuses [{"secs": 1}, {"secs": -1, "nanos": 5}, 5],
        differs [BeyondItsBits];

    time: SystemTime => {
        "type": "object",
        "properties": {
            "nanos_since_epoch": {"type": "integer", "minimum": 0, "maximum": 4_294_967_295_u32},
            "secs_since_epoch": {"type": "integer", "minimum": 0}
        },
        "required": ["secs_since_epoch", "nanos_since_epoch"], "additionalProperties": false
    },
        takes [{"secs_since_epoch": 1, "nanos_since_epoch": 5}],
        refuses [{"secs_since_epoch": 1}, "now"],
        differs [BeyondItsBits];

    result: std::result::Result<u8, String> => {
        "anyOf": [
            {
                "type": "object", "properties": {"Ok": {"type": "integer", "minimum": 0, "maximum": 255}},
                "required": ["Ok"], "additionalProperties": false
            },
            {
                "type": "object", "properties": {"Err": {"type": "string"}}, "required": ["Err"],
                "additionalProperties": false
            }
        ]
    },
        takes [{"Ok": 1}, {"Err": "a"}],
        refuses [{"Ok": "a"}, {"Ok": 1, "Err": "a"}, {}],
        differs [];

    range: Range<u8> => {
        "type": "object",
        "properties": {
            "end": {"type": "integer", "minimum": 0, "maximum": 255},
            "start": {"type": "integer", "minimum": 0, "maximum": 255}
        },
        "required": ["start", "end"], "additionalProperties": false
    },
        takes [{"start": 1, "end": 2}],
        refuses [{"start": 1}, [1]],
        differs [];

    bound: Bound<u8> => {
        "anyOf": [
            {
                "type": "object", "properties": {"Included": {"type": "integer", "minimum": 0, "maximum": 255}},
                "required": ["Included"], "additionalProperties": false
            },
            {
                "type": "object", "properties": {"Excluded": {"type": "integer", "minimum": 0, "maximum": 255}},
                "required": ["Excluded"], "additionalProperties": false
            },
            {"type": "string", "enum": ["Unbounded"]}
        ]
    },
        takes [{"Included": 1}, "Unbounded"],
        refuses [{"Included": "a"}, "Included", 1],
        differs [];

    structure: Point => {
        "type": "object", "description": "A place.",
        "properties": {
            "x": {"type": "integer", "description": "To the right", "minimum": -2147483648, "maximum": 2147483647},
            "y": {"type": "integer", "minimum": -2147483648, "maximum": 2147483647}
        },
        "required": ["x", "y"], "additionalProperties": false
    },
        takes [{"x": 1, "y": 2}],
        refuses [{"x": 1}, {"x": 1, "y": "2"}, null, 1],
        differs [];

    sealed: Sealed => {
        "type": "object", "properties": {"a": {"type": "integer", "minimum": 0, "maximum": 255}}, "required": ["a"],
        "additionalProperties": false
    },
        takes [{"a": 1}],
        refuses [{"a": 1, "b": 2}, {}],
        differs [];

    structure_of_nothing: Nothing => {"type": "object"},
        takes [{}],
        refuses [null, 1],
        differs [];

    unit_structure: Unit => {"type": "null"},
        takes [null],
        refuses [{}, 0],
        differs [];

    wrapper: Wrapped => {"type": "integer", "minimum": 0, "maximum": 255},
        takes [5],
        refuses [256, [5], null],
        differs [];

    wrapper_of_option: WrappedOption => {
        "anyOf": [{"type": "integer", "minimum": 0, "maximum": 255}, {"type": "null"}]
    },
        takes [5, null],
        refuses [256, "5"],
        differs [];

    transparent: Transparent => {"type": "array", "items": {"type": "integer", "minimum": 0, "maximum": 255}},
        takes [[1]],
        refuses [[256], {"inner": [1]}],
        differs [];

    tuple_structure: Pair => {
        "type": "array", "prefixItems": [{"type": "integer", "minimum": 0, "maximum": 255}, {"type": "string"}],
        "items": {"anyOf": [{"type": "integer", "minimum": 0, "maximum": 255}, {"type": "string"}]}, "minItems": 2,
        "maxItems": 2
    },
        takes [[1, "a"]],
        refuses [["a", 1], {}, [1]],
        differs [];

    options: Options => {
        "type": "object",
        "properties": {
            "anything": {}, "colour": {"type": "string", "enum": ["red", "green"]},
            "defaulted": {"type": "boolean"}, "plain": {"type": "integer", "minimum": 0, "maximum": 255},
            "point": {
                "type": "object", "description": "A place.",
                "properties": {
                    "x": {
                        "type": "integer", "description": "To the right", "minimum": -2147483648,
                        "maximum": 2147483647
                    },
                    "y": {"type": "integer", "minimum": -2147483648, "maximum": 2147483647}
                },
                "required": ["x", "y"], "additionalProperties": false
            },
            "twice": {"type": "string"}
        },
        "additionalProperties": false
    },
        takes [{}, {"plain": 1, "twice": "a", "point": {"x": 1, "y": 2}, "colour": "red", "anything": [1], "defaulted": true}],
        refuses [{"plain": "1"}, {"point": {}}, {"colour": "blue"}, 5],
        differs [];

    defaults: Defaults => {
        "type": "object",
        "properties": {
            "count": {"type": "integer", "default": 7, "minimum": 0, "maximum": 4_294_967_295_u32},
            "list": {"type": "array", "default": [], "items": {"type": "integer", "minimum": 0, "maximum": 255}}
        },
        "additionalProperties": false
    },
        takes [{}, {"list": [1], "count": 5}],
        refuses [{"list": null}, {"count": -1}],
        differs [];

    renamed: Renamed => {
        "type": "object", "properties": {"firstName": {"type": "string"}, "surname": {"type": "string"}},
        "required": ["firstName", "surname"], "additionalProperties": false
    },
        takes [{"firstName": "a", "surname": "b"}],
        refuses [{"firstName": "a"}, {"first_name": "a", "surname": "b"}],
        differs [Alias];

    bounds: Bounded => {
        "type": "object",
        "properties": {
            "between": {"type": "integer", "minimum": 1, "maximum": 9},
            "code": {"type": "string", "minLength": 2, "maxLength": 4, "pattern": "^[a-z]+$"},
            "guests": {"type": "integer", "minimum": 1, "maximum": 8},
            "tags": {"type": "array", "items": {"type": "string"}, "maxItems": 2}
        },
        "required": ["guests", "code", "tags", "between"], "additionalProperties": false
    },
        takes [{"guests": 8, "code": "ab", "tags": [], "between": 1}],
        refuses [
            {"guests": 256, "code": "ab", "tags": [], "between": 1}, {"guests": 1, "code": 5, "tags": [], "between": 1},
            {"guests": 9, "code": "ab", "tags": [], "between": 1}, {"guests": 1, "code": "a", "tags": [], "between": 1},
            {"guests": 1, "code": "AB", "tags": [], "between": 1}, {"guests": 1, "code": "ab", "tags": [], "between": 0},
            {"guests": 1, "code": "ab", "tags": ["a", "b", "c"], "between": 1}
        ],
        differs [];

    words: Spoken => {
        "type": "object",
        "properties": {
            "old": {"type": "boolean", "description": "deprecated"},
            "page": {"type": "string", "description": "Where it is (format: uri)"},
            "size": {"type": "integer", "description": "e.g. 5, 7", "minimum": 0},
            "when": {"type": "string", "description": "When it was.", "format": "date-time"}
        },
        "required": ["page", "size", "when"], "additionalProperties": false
    },
        takes [{"page": "https://example.com", "size": 5, "when": "2026-07-28T00:00:00Z"}],
        refuses [{"page": 5, "size": 5, "when": ""}, {"page": "", "size": -5, "when": ""}],
        differs [BeyondItsBits];

    foreign: Foreign => {
        "type": "object",
        "properties": {"by_type": {"type": "string"}, "digit": {"type": "integer", "minimum": 0, "maximum": 9}},
        "required": ["by_type", "digit"], "additionalProperties": false
    },
        takes [{"by_type": "::1", "digit": 9}],
        refuses [{"by_type": "::1", "digit": 10}, {"by_type": 5, "digit": 1}],
        differs [Grammar];

    flattened_structure: WithStruct => {
        "type": "object", "description": "A place.",
        "properties": {
            "a": {"type": "integer", "minimum": 0, "maximum": 255},
            "x": {"type": "integer", "description": "To the right", "minimum": -2147483648, "maximum": 2147483647},
            "y": {"type": "integer", "minimum": -2147483648, "maximum": 2147483647}
        },
        "required": ["a", "x", "y"], "additionalProperties": false
    },
        takes [{"a": 1, "x": 1, "y": 2}],
        refuses [{"a": 1, "x": 1}, {"a": 1, "point": {"x": 1, "y": 2}}],
        differs [];

    flattened_map: WithMap => {
        "type": "object", "properties": {"a": {"type": "integer", "minimum": 0, "maximum": 255}}, "required": ["a"],
        "additionalProperties": {"type": "integer", "minimum": 0, "maximum": 255}
    },
        takes [{"a": 1}, {"a": 1, "b": 2}],
        refuses [{"a": 1, "b": "2"}, {"b": 2}],
        differs [];

    flattened_anything: WithAnything => {
        "type": "object", "properties": {"a": {"type": "integer", "minimum": 0, "maximum": 255}}, "required": ["a"],
        "additionalProperties": true
    },
        takes [{"a": 1, "b": null}],
        refuses [{"a": "1"}, {}],
        differs [];

    flattened_enum: WithShape => {
        "description": "A figure.",
        "anyOf": [
            {
                "type": "object", "description": "Round",
                "properties": {
                    "a": {"type": "integer", "minimum": 0, "maximum": 255},
                    "kind": {"type": "string", "enum": ["circle"]}, "radius": {"type": "number"}
                },
                "required": ["a", "kind", "radius"], "additionalProperties": false
            },
            {
                "type": "object",
                "properties": {
                    "a": {"type": "integer", "minimum": 0, "maximum": 255},
                    "kind": {"type": "string", "enum": ["square"]}, "name": {"type": "string"},
                    "side": {"type": "number"}
                },
                "required": ["a", "kind", "side"], "additionalProperties": false
            },
            {
                "type": "object",
                "properties": {
                    "a": {"type": "integer", "minimum": 0, "maximum": 255},
                    "kind": {"type": "string", "enum": ["empty"]}
                },
                "required": ["a", "kind"], "additionalProperties": false
            },
            {
                "type": "object", "description": "A place.",
                "properties": {
                    "a": {"type": "integer", "minimum": 0, "maximum": 255},
                    "kind": {"type": "string", "enum": ["at"]},
                    "x": {
                        "type": "integer", "description": "To the right", "minimum": -2147483648,
                        "maximum": 2147483647
                    },
                    "y": {"type": "integer", "minimum": -2147483648, "maximum": 2147483647}
                },
                "required": ["a", "kind", "x", "y"], "additionalProperties": false
            }
        ]
    },
        takes [{"a": 1, "kind": "circle", "radius": 1}, {"a": 1, "kind": "at", "x": 1, "y": 2}],
        refuses [{"a": 1}, {"a": 1, "kind": "circle"}, {"kind": "empty"}],
        differs [TagByNumber];

    enumeration: Colour => {"type": "string", "enum": ["red", "green"]},
        takes ["red", "green"],
        refuses ["Red", 0, null],
        differs [];

    documented_enumeration: Volume => {
        "type": "string", "description": "How loud.\n\n- `very_low`: As a whisper\n- `high`: As a shout",
        "enum": ["mute", "very_low", "high"]
    },
        takes ["mute", "very_low", "high"],
        refuses ["low", 1],
        differs [];

    optional_enumeration: Option<Volume> => {
        "type": "string", "description": "How loud.\n\n- `very_low`: As a whisper\n- `high`: As a shout",
        "enum": ["mute", "very_low", "high"]
    },
        takes ["mute"],
        refuses ["low", 1],
        differs [];

    enumeration_of_one: Single => {"type": "string", "enum": ["Only"]},
        takes ["Only"],
        refuses ["only", 0],
        differs [];

    tagged: Shape => {
        "description": "A figure.",
        "anyOf": [
            {
                "type": "object", "description": "Round",
                "properties": {"kind": {"type": "string", "enum": ["circle"]}, "radius": {"type": "number"}},
                "required": ["kind", "radius"], "additionalProperties": false
            },
            {
                "type": "object",
                "properties": {
                    "kind": {"type": "string", "enum": ["square"]}, "name": {"type": "string"},
                    "side": {"type": "number"}
                },
                "required": ["kind", "side"], "additionalProperties": false
            },
            {
                "type": "object", "properties": {"kind": {"type": "string", "enum": ["empty"]}},
                "required": ["kind"], "additionalProperties": false
            },
            {
                "type": "object", "description": "A place.",
                "properties": {
                    "kind": {"type": "string", "enum": ["at"]},
                    "x": {
                        "type": "integer", "description": "To the right", "minimum": -2147483648,
                        "maximum": 2147483647
                    },
                    "y": {"type": "integer", "minimum": -2147483648, "maximum": 2147483647}
                },
                "required": ["kind", "x", "y"], "additionalProperties": false
            }
        ]
    },
        takes [{"kind": "circle", "radius": 1.5}, {"kind": "square", "side": 1}, {"kind": "square", "side": 1, "name": "a"}, {"kind": "empty"}, {"kind": "at", "x": 1, "y": 2}],
        refuses [{"kind": "circle"}, {"kind": "round"}, {"radius": 1}, "empty"],
        differs [];

    optional_tagged: Option<Shape> => {
        "description": "A figure.",
        "anyOf": [
            {
                "type": "object", "description": "Round",
                "properties": {"kind": {"type": "string", "enum": ["circle"]}, "radius": {"type": "number"}},
                "required": ["kind", "radius"], "additionalProperties": false
            },
            {
                "type": "object",
                "properties": {
                    "kind": {"type": "string", "enum": ["square"]}, "name": {"type": "string"},
                    "side": {"type": "number"}
                },
                "required": ["kind", "side"], "additionalProperties": false
            },
            {
                "type": "object", "properties": {"kind": {"type": "string", "enum": ["empty"]}},
                "required": ["kind"], "additionalProperties": false
            },
            {
                "type": "object", "description": "A place.",
                "properties": {
                    "kind": {"type": "string", "enum": ["at"]},
                    "x": {
                        "type": "integer", "description": "To the right", "minimum": -2147483648,
                        "maximum": 2147483647
                    },
                    "y": {"type": "integer", "minimum": -2147483648, "maximum": 2147483647}
                },
                "required": ["kind", "x", "y"], "additionalProperties": false
            }
        ]
    },
        takes [{"kind": "empty"}],
        refuses [{"kind": "round"}, 5],
        differs [];

    adjacent: Adjacent => {
        "anyOf": [
            {
                "type": "object", "properties": {"t": {"type": "string", "enum": ["None"]}}, "required": ["t"],
                "additionalProperties": false
            },
            {
                "type": "object",
                "properties": {
                    "c": {"type": "integer", "minimum": 0, "maximum": 255},
                    "t": {"type": "string", "enum": ["Number"]}
                },
                "required": ["t", "c"], "additionalProperties": false
            },
            {
                "type": "object",
                "properties": {
                    "c": {
                        "type": "object", "properties": {"x": {"type": "integer", "minimum": 0, "maximum": 255}},
                        "required": ["x"], "additionalProperties": false
                    },
                    "t": {"type": "string", "enum": ["Named"]}
                },
                "required": ["t", "c"], "additionalProperties": false
            }
        ]
    },
        takes [{"t": "None"}, {"t": "Number", "c": 1}, {"t": "Named", "c": {"x": 1}}],
        refuses [{"t": "Number"}, {"t": "Number", "c": "1"}, {"c": 1}],
        differs [];

    external: External => {
        "description": "- `Half`: Half of it",
        "anyOf": [
            {"type": "string", "enum": ["Off", "Half"]},
            {
                "type": "object", "properties": {"Level": {"type": "integer", "minimum": 0, "maximum": 255}},
                "required": ["Level"], "additionalProperties": false
            },
            {
                "type": "object",
                "properties": {
                    "Both": {
                        "type": "array",
                        "prefixItems": [{"type": "integer", "minimum": 0, "maximum": 255}, {"type": "boolean"}],
                        "items": {"anyOf": [{"type": "integer", "minimum": 0, "maximum": 255}, {"type": "boolean"}]},
                        "minItems": 2, "maxItems": 2
                    }
                },
                "required": ["Both"], "additionalProperties": false
            },
            {
                "type": "object",
                "properties": {
                    "Named": {
                        "type": "object", "properties": {"x": {"type": "integer", "minimum": 0, "maximum": 255}},
                        "required": ["x"], "additionalProperties": false
                    }
                },
                "required": ["Named"], "additionalProperties": false
            }
        ]
    },
        takes ["Off", "Half", {"Level": 1}, {"Both": [1, true]}, {"Named": {"x": 1}}],
        refuses ["Level", {"Level": "1"}, {"Both": [1]}, {"Level": 1, "Named": {"x": 1}}],
        differs [];

    untagged: Untagged => {
        "anyOf": [
            {"type": "string"}, {"type": "integer", "minimum": 0, "maximum": 255},
            {
                "type": "object", "description": "A place.",
                "properties": {
                    "x": {
                        "type": "integer", "description": "To the right", "minimum": -2147483648,
                        "maximum": 2147483647
                    },
                    "y": {"type": "integer", "minimum": -2147483648, "maximum": 2147483647}
                },
                "required": ["x", "y"], "additionalProperties": false
            }
        ]
    },
        takes ["a", 1, {"x": 1, "y": 2}],
        refuses [true, 256, {"x": 1}, null],
        differs [];

    list_of_untagged: Vec<Untagged> => {
        "type": "array",
        "items": {
            "anyOf": [
                {"type": "string"}, {"type": "integer", "minimum": 0, "maximum": 255},
                {
                    "type": "object", "description": "A place.",
                    "properties": {
                        "x": {
                            "type": "integer", "description": "To the right", "minimum": -2147483648,
                            "maximum": 2147483647
                        },
                        "y": {"type": "integer", "minimum": -2147483648, "maximum": 2147483647}
                    },
                    "required": ["x", "y"], "additionalProperties": false
                }
            ]
        }
    },
        takes [["a", 1]],
        refuses [[true], "a"],
        differs [];

    tree: Tree => {
        "type": "object", "description": "A node.",
        "properties": {
            "children": {"type": "array", "items": {"$ref": "#/$defs/Tree"}},
            "label": {"type": "string", "description": "Its text"},
            "other": {"$ref": "#/$defs/Tree", "description": "One more"}
        },
        "required": ["label"], "additionalProperties": false,
        "$defs": {
            "Tree": {
                "type": "object", "description": "A node.",
                "properties": {
                    "children": {"type": "array", "items": {"$ref": "#/$defs/Tree"}},
                    "label": {"type": "string", "description": "Its text"},
                    "other": {"$ref": "#/$defs/Tree", "description": "One more"}
                },
                "required": ["label"], "additionalProperties": false
            }
        }
    },
        takes [{"label": "a"}, {"label": "a", "children": [{"label": "b"}], "other": {"label": "c"}}],
        refuses [{}, {"label": "a", "children": [{}]}, {"label": "a", "other": {"label": 5}}],
        differs [];

    optional_tree: Option<Tree> => {
        "type": "object", "description": "A node.",
        "properties": {
            "children": {"type": "array", "items": {"$ref": "#/$defs/Tree"}},
            "label": {"type": "string", "description": "Its text"},
            "other": {"$ref": "#/$defs/Tree", "description": "One more"}
        },
        "required": ["label"], "additionalProperties": false,
        "$defs": {
            "Tree": {
                "type": "object", "description": "A node.",
                "properties": {
                    "children": {"type": "array", "items": {"$ref": "#/$defs/Tree"}},
                    "label": {"type": "string", "description": "Its text"},
                    "other": {"$ref": "#/$defs/Tree", "description": "One more"}
                },
                "required": ["label"], "additionalProperties": false
            }
        }
    },
        takes [{"label": "a"}],
        refuses [{}, 5],
        differs [];

    list_of_trees: Vec<Tree> => {
        "type": "array",
        "items": {
            "type": "object", "description": "A node.",
            "properties": {
                "children": {"type": "array", "items": {"$ref": "#/$defs/Tree"}},
                "label": {"type": "string", "description": "Its text"},
                "other": {"$ref": "#/$defs/Tree", "description": "One more"}
            },
            "required": ["label"], "additionalProperties": false
        },
        "$defs": {
            "Tree": {
                "type": "object", "description": "A node.",
                "properties": {
                    "children": {"type": "array", "items": {"$ref": "#/$defs/Tree"}},
                    "label": {"type": "string", "description": "Its text"},
                    "other": {"$ref": "#/$defs/Tree", "description": "One more"}
                },
                "required": ["label"], "additionalProperties": false
            }
        }
    },
        takes [[], [{"label": "a"}]],
        refuses [[{}], {}],
        differs [];

    mutual: Even => {
        "type": "object",
        "properties": {
            "next": {
                "type": "object", "properties": {"next": {"$ref": "#/$defs/Even"}}, "required": ["next"],
                "additionalProperties": false
            }
        },
        "additionalProperties": false,
        "$defs": {
            "Even": {
                "type": "object", "properties": {"next": {"$ref": "#/$defs/Odd"}}, "additionalProperties": false
            },
            "Odd": {
                "type": "object", "properties": {"next": {"$ref": "#/$defs/Even"}}, "required": ["next"],
                "additionalProperties": false
            }
        }
    },
        takes [{}, {"next": {"next": {}}}],
        refuses [{"next": {}}, {"next": 5}],
        differs [];

    expression: Expression => {
        "anyOf": [
            {
                "type": "object", "properties": {"Value": {"type": "integer"}}, "required": ["Value"],
                "additionalProperties": false
            },
            {
                "type": "object", "properties": {"Sum": {"type": "array", "items": {"$ref": "#/$defs/Expression"}}},
                "required": ["Sum"], "additionalProperties": false
            }
        ],
        "$defs": {
            "Expression": {
                "anyOf": [
                    {
                        "type": "object", "properties": {"Value": {"type": "integer"}}, "required": ["Value"],
                        "additionalProperties": false
                    },
                    {
                        "type": "object",
                        "properties": {"Sum": {"type": "array", "items": {"$ref": "#/$defs/Expression"}}},
                        "required": ["Sum"], "additionalProperties": false
                    }
                ]
            }
        }
    },
        takes [{"Value": 1}, {"Sum": [{"Value": 1}, {"Sum": []}]}],
        refuses [{"Sum": [1]}, {"Value": "1"}, {}],
        differs [BeyondItsBits];

    generic: Page<Point> => {
        "type": "object",
        "properties": {
            "items": {
                "type": "array",
                "items": {
                    "type": "object", "description": "A place.",
                    "properties": {
                        "x": {
                            "type": "integer", "description": "To the right", "minimum": -2147483648,
                            "maximum": 2147483647
                        },
                        "y": {"type": "integer", "minimum": -2147483648, "maximum": 2147483647}
                    },
                    "required": ["x", "y"], "additionalProperties": false
                }
            },
            "total": {"type": "integer", "minimum": 0, "maximum": 65535}
        },
        "required": ["items", "total"], "additionalProperties": false
    },
        takes [{"items": [{"x": 1, "y": 2}], "total": 1}],
        refuses [{"items": [1], "total": 1}, {"items": []}],
        differs [];

    another_generic: Page<u8> => {
        "type": "object",
        "properties": {
            "items": {"type": "array", "items": {"type": "integer", "minimum": 0, "maximum": 255}},
            "total": {"type": "integer", "minimum": 0, "maximum": 65535}
        },
        "required": ["items", "total"], "additionalProperties": false
    },
        takes [{"items": [1], "total": 1}],
        refuses [{"items": [256], "total": 1}],
        differs [];

    deep: Deep => {
        "type": "object",
        "properties": {
            "by_name": {
                "type": "object",
                "additionalProperties": {
                    "type": "array",
                    "items": {
                        "type": "object", "description": "A place.",
                        "properties": {
                            "x": {
                                "type": "integer", "description": "To the right", "minimum": -2147483648,
                                "maximum": 2147483647
                            },
                            "y": {"type": "integer", "minimum": -2147483648, "maximum": 2147483647}
                        },
                        "required": ["x", "y"], "additionalProperties": false
                    }
                }
            },
            "choice": {
                "description": "A figure.",
                "anyOf": [
                    {
                        "type": "object", "description": "Round",
                        "properties": {"kind": {"type": "string", "enum": ["circle"]}, "radius": {"type": "number"}},
                        "required": ["kind", "radius"], "additionalProperties": false
                    },
                    {
                        "type": "object",
                        "properties": {
                            "kind": {"type": "string", "enum": ["square"]}, "name": {"type": "string"},
                            "side": {"type": "number"}
                        },
                        "required": ["kind", "side"], "additionalProperties": false
                    },
                    {
                        "type": "object", "properties": {"kind": {"type": "string", "enum": ["empty"]}},
                        "required": ["kind"], "additionalProperties": false
                    },
                    {
                        "type": "object", "description": "A place.",
                        "properties": {
                            "kind": {"type": "string", "enum": ["at"]},
                            "x": {
                                "type": "integer", "description": "To the right", "minimum": -2147483648,
                                "maximum": 2147483647
                            },
                            "y": {"type": "integer", "minimum": -2147483648, "maximum": 2147483647}
                        },
                        "required": ["kind", "x", "y"], "additionalProperties": false
                    }
                ]
            }
        },
        "required": ["by_name"], "additionalProperties": false
    },
        takes [{"by_name": {}}, {"by_name": {"a": [{"x": 1, "y": 2}]}, "choice": {"kind": "empty"}}],
        refuses [{"by_name": {"a": {}}}, {"by_name": {"a": [{"x": 1}]}}],
        differs [];
}
