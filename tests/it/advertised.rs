//! What the schema of a tool says below an argument holds on a call, though `serde` has never heard of it.

#![allow(clippy::unwrap_used, reason = "helpers of tests")]
#![allow(dead_code, reason = "types that are decoded, and looked at by nobody")]

use std::collections::{BTreeMap, HashMap, HashSet};

use mcp_runtime::{
    prelude::*,
    testing::{Connection, TestClient},
};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

/// A thing for sale
#[derive(Deserialize, JsonSchema)]
struct Item {
    #[schemars(length(min = 1, max = 5))]
    #[serde(alias = "title")]
    name: String,
    #[schemars(range(min = 1, max = 5))]
    stars: u8,
    #[schemars(regex(pattern = "^a+$"))]
    code: Option<String>,
}

#[derive(Deserialize, JsonSchema)]
struct Numbers {
    #[schemars(extend("exclusiveMinimum" = 0, "exclusiveMaximum" = 1))]
    share: Option<f64>,
    #[schemars(extend("multipleOf" = 5))]
    fives: Option<i64>,
    #[schemars(extend("multipleOf" = 0.1))]
    tenths: Option<f64>,
    #[schemars(range(max = 9_007_199_254_740_993_u64))]
    great: Option<u64>,
    #[schemars(range(min = -3, max = 100))]
    low: Option<i32>,
    #[schemars(length(max = 2), inner(range(max = 7)))]
    list: Option<Vec<u8>>,
}

/// A shape
#[derive(Deserialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "lowercase")]
enum Shape {
    Circle {
        #[schemars(range(max = 10))]
        size: u8,
    },
    Square {
        #[schemars(range(max = 20))]
        size: u8,
        name: Option<String>,
    },
}

#[derive(Deserialize, JsonSchema)]
enum External {
    Off,
    Level(#[schemars(range(max = 7))] u8),
    Item(Item),
}

#[derive(Deserialize, JsonSchema)]
#[serde(untagged)]
enum Untagged {
    Short(#[schemars(length(max = 2))] String),
    Item(Item),
    Point {
        x: i32,
        #[schemars(range(min = -3, max = 3))]
        y: i32,
    },
    Letters(#[schemars(regex(pattern = "^[a-z]+$"))] String),
}

/// A node
#[derive(Deserialize, JsonSchema)]
struct Tree {
    #[schemars(length(max = 3))]
    label: String,
    #[serde(default)]
    children: Vec<Tree>,
}

/// Each choice of it contains itself
#[derive(Deserialize, JsonSchema)]
#[serde(untagged)]
enum Nest {
    Left { of: Box<Nest> },
    Right { of: Box<Nest> },
    Leaf(#[schemars(range(max = 3))] u8),
}

#[derive(Deserialize, JsonSchema)]
struct Code(#[schemars(length(min = 2))] String);

#[derive(Deserialize, JsonSchema)]
struct Flat {
    #[serde(flatten)]
    item: Item,
    #[schemars(range(min = 1, max = 9))]
    count: u32,
}

macro_rules! tools {
    ($name:ident $(, $profile:literal)?) => {
        #[mcp_server $((profile = $profile))?]
        mod $name {
            use super::*;

            /// Takes all kinds
            #[allow(clippy::too_many_arguments, reason = "one of each kind")]
            #[mcp_tool]
            fn take(
                item: Option<Item>,
                items: Option<Vec<Item>>,
                perhaps: Option<Vec<Option<Item>>>,
                by_name: Option<HashMap<String, Item>>,
                by_number: Option<BTreeMap<u8, Item>>,
                pair: Option<(u8, Item)>,
                numbers: Option<Numbers>,
                shape: Option<Shape>,
                external: Option<External>,
                untagged: Option<Untagged>,
                tree: Option<Tree>,
                nest: Option<Nest>,
                #[mcp(pattern = "^[a-z]+$", max_length = 4)] code: Option<Code>,
                #[mcp(max_items = 2)] tags: Option<Vec<String>>,
            ) -> usize {
                let _ = (item, items, perhaps, by_name, by_number, pair, numbers, shape, external, untagged, tree);
                let _ = (nest, code, tags);
                0
            }

            /// Takes the members of a type
            #[mcp_tool]
            fn flat(#[mcp(flatten)] flat: Flat) {
                let _ = flat;
            }

            /// Takes the members of a choice
            #[mcp_tool]
            fn flat_shape(#[mcp(flatten)] shape: Shape) {
                let _ = shape;
            }

            /// Takes each text once
            #[mcp_tool]
            fn set(texts: HashSet<String>) {
                let _ = texts;
            }

            /// Takes what its schema says
            #[mcp_tool(input_schema = json!({"type": "object"}))]
            fn by_hand(item: Item) {
                let _ = item;
            }

            /// Takes what regular expressions elsewhere know
            #[mcp_tool]
            fn foreign(text: Foreign) {
                let _ = text;
            }
        }
    };
}

#[derive(Deserialize, JsonSchema)]
struct Foreign {
    #[schemars(regex(pattern = "^(?!a)"), length(max = 3))]
    text: String,
}

tools!(portable);
tools!(full, "full");

async fn clients() -> [(&'static str, TestClient); 2] {
    [
        ("portable", TestClient::connect(portable::server()).await.unwrap()),
        ("full", TestClient::connect(full::server()).await.unwrap()),
    ]
}

/// Panics where a call is not refused with these problems, and no others.
async fn check(client: &(&str, TestClient), tool: &str, arguments: Value, expected: &[&str]) {
    let result = client.1.call(tool, arguments.clone()).await.unwrap();
    let text = result.first_text().unwrap_or_default();
    let problems = if result.is_error { text } else { "" };
    let lines: Vec<_> = problems.lines().skip(1).map(|line| line.trim_start_matches("- ")).collect();
    assert_eq!(lines, expected, "{}: {tool} {arguments}: {text}", client.0);
    assert_eq!(result.is_error, !expected.is_empty(), "{}: {tool} {arguments}: {text}", client.0);
}

#[tokio::test]
async fn the_bounds_of_types_hold_at_any_depth() {
    let (right, wrong) = (json!({"name": "a", "stars": 1}), json!({"name": "a", "stars": 9}));
    let stars = |at: &str| format!("`{at}.stars`: expected an integer from 1 to 5, got 9");
    for client in clients().await {
        let check = async |arguments: Value, expected: &[&str]| check(&client, "take", arguments, expected).await;
        check(json!({"item": {"name": "abcde", "stars": 5, "code": "aa"}}), &[]).await;
        // A struct by the list of its fields, which `serde` takes.
        check(json!({"item": ["a", 9, null]}), &["`item`: expected an object, got an array"]).await;
        check(json!({"items": [["a", 9, null]]}), &["`items[0]`: expected an object, got an array"]).await;
        check(json!({"perhaps": [null, ["a", 9, null]]}), &["`perhaps[1]`: expected an object, got an array"]).await;
        for (place, right, wrong, at) in [
            ("item", right.clone(), wrong.clone(), "item"),
            ("items", json!([right]), json!([right, wrong]), "items[1]"),
            ("perhaps", json!([null, right]), json!([null, wrong]), "perhaps[1]"),
            ("by_name", json!({"x": right}), json!({"x": right, "y": wrong}), "by_name.y"),
            ("by_number", json!({"7": right}), json!({"7": wrong}), "by_number.7"),
            ("pair", json!([9, right]), json!([9, wrong]), "pair[1]"),
            ("external", json!({"Item": right}), json!({"Item": wrong}), "external.Item"),
            ("untagged", right.clone(), wrong.clone(), "untagged"),
        ] {
            check(json!({place: right}), &[]).await;
            check(json!({place: wrong}), &[&stars(at)]).await;
        }
        // All of all arguments, beside what serde refuses.
        check(
            json!({"item": {"name": "", "stars": 0, "code": "ab"}, "numbers": {"low": -4, "share": "x", "fives": 4}}),
            &[
                "`item.code`: expected text that matches ^a+$, got \"ab\"",
                "`item.name`: expected a string of 1 to 5 characters, got the string \"\"",
                "`item.stars`: expected an integer from 1 to 5, got 0",
                "`numbers.fives`: expected a multiple of 5, got 4",
                "`numbers.low`: expected an integer from -3 to 100, got -4",
                "`numbers.share`: expected a number above 0 and below 1, got the string \"x\"",
            ],
        )
        .await;
        check(
            json!({"item": {"name": 5, "stars": 9, "code": "b"}}),
            &[
                "`item.code`: expected text that matches ^a+$, got \"b\"",
                "`item.name`: expected a string of 1 to 5 characters, got 5",
                "`item.stars`: expected an integer from 1 to 5, got 9",
            ],
        )
        .await;
        // What was meant is held to them.
        check(json!({"item": {"name": "a", "stars": "5"}}), &[]).await;
        check(json!({"item": r#"{"name": "a", "stars": "9"}"#}), &[&stars("item")]).await;
    }
}

#[tokio::test]
async fn every_bound_is_known() {
    for client in clients().await {
        for (numbers, problem) in [
            (json!({"share": 0.5, "fives": -10, "tenths": 0.3, "great": 9_007_199_254_740_993_u64}), None),
            (json!({"low": -3, "list": [7, 0]}), None),
            (json!({"share": 1}), Some("share`: expected a number above 0 and below 1, got 1")),
            (json!({"share": 0.0}), Some("share`: expected a number above 0 and below 1, got 0.0")),
            (json!({"fives": 7}), Some("fives`: expected a multiple of 5, got 7")),
            (json!({"tenths": 0.35}), Some("tenths`: expected a multiple of 0.1, got 0.35")),
            (json!({"list": [8]}), Some("list[0]`: expected an integer from 0 to 7, got 8")),
            (json!({"list": [1, 2, 3]}), Some("list`: expected an array of at most 2 items, got 3")),
        ] {
            let problem = problem.map(|problem| format!("`numbers.{problem}"));
            check(&client, "take", json!({"numbers": numbers}), &problem.as_deref().into_iter().collect::<Vec<_>>())
                .await;
        }
        // A float does not tell the two apart.
        let result = client.1.call("take", json!({"numbers": {"great": 9_007_199_254_740_994_u64}})).await.unwrap();
        assert!(result.is_error, "{}", client.0);
        // Both that are wrong with one text, and with a list.
        check(
            &client,
            "take",
            json!({"code": "ABCDE"}),
            &[
                "`code`: expected at most 4 characters, got 5",
                "`code`: expected text that matches ^[a-z]+$, got \"ABCDE\"",
            ],
        )
        .await;
        check(
            &client,
            "take",
            json!({"code": ""}),
            &[
                "`code`: expected text that matches ^[a-z]+$, got \"\"",
                "`code`: expected a string of at least 2 characters, got the string \"\"",
            ],
        )
        .await;
        check(
            &client,
            "take",
            json!({"tags": ["a", 5, "c"], "numbers": {"list": [1, 2, "x"]}}),
            &[
                "`numbers.list`: expected an array of at most 2 items, got 3",
                "`numbers.list[2]`: expected an integer from 0 to 7, got the string \"x\"",
                "`tags`: expected at most 2 items, got 3",
                "`tags[1]`: expected a string, got 5",
            ],
        )
        .await;
    }
}

#[tokio::test]
async fn of_choices_the_one_that_was_meant_holds() {
    for client in clients().await {
        let check = async |arguments: Value, expected: &[&str]| check(&client, "take", arguments, expected).await;
        check(json!({"shape": {"kind": "square", "size": 20}}), &[]).await;
        check(
            json!({"shape": {"kind": "square", "size": 21}}),
            &["`shape.size`: expected an integer from 0 to 20, got 21"],
        )
        .await;
        check(
            json!({"shape": {"kind": "circle", "size": 11}}),
            &["`shape.size`: expected an integer from 0 to 10, got 11"],
        )
        .await;
        check(json!({"external": "Off"}), &[]).await;
        check(json!({"external": {"Level": 7}}), &[]).await;
        check(json!({"external": {"Level": 8}}), &["`external.Level`: expected an integer from 0 to 7, got 8"]).await;
        // Any that a value fits.
        check(json!({"untagged": "AB"}), &[]).await;
        check(json!({"untagged": "abc"}), &[]).await;
        check(json!({"untagged": {"x": 1, "y": 3}}), &[]).await;
        check(json!({"untagged": {"x": 1, "y": 4}}), &["`untagged.y`: expected an integer from -3 to 3, got 4"]).await;
        let result = client.1.call("take", json!({"untagged": "ABC"})).await.unwrap();
        assert!(result.is_error, "{}", client.0);
        // What the type knows by another name is left alone, what is beside it is not.
        check(json!({"item": {"title": "far too long", "stars": 5}}), &[]).await;
        check(
            json!({"perhaps": [{"title": "x", "stars": 9, "more": 1}]}),
            &["`perhaps[0].stars`: expected an integer from 1 to 5, got 9"],
        )
        .await;
    }
}

#[tokio::test]
async fn types_that_contain_themselves_are_searched_to_the_end() {
    let leaf = |label: &str| json!({"label": label, "children": []});
    for client in clients().await {
        let check = async |arguments: Value, expected: &[&str]| check(&client, "take", arguments, expected).await;
        let mut tree = json!({"label": "a", "children": [leaf("abc"), {"label": "b", "children": [leaf("abcd")]}]});
        check(
            json!({"tree": tree}),
            &["`tree.children[1].children[0].label`: expected a string of at most 3 characters, got the string \"abcd\""],
        )
        .await;
        // Behind a great many that are right.
        let mut children = vec![leaf("a"); 50_000];
        children.push(leaf("abcd"));
        tree["children"] = children.into();
        check(
            json!({"tree": tree}),
            &["`tree.children[50000].label`: expected a string of at most 3 characters, got the string \"abcd\""],
        )
        .await;
        // Two ways down at each step.
        let nest = |leaf: u8| (0..100).fold(json!(leaf), |nest, _| json!({"of": nest}));
        check(json!({"nest": nest(3)}), &[]).await;
        let at = ".of".repeat(100);
        check(json!({"nest": nest(4)}), &[&format!("`nest{at}`: expected an integer from 0 to 3, got 4")]).await;
    }
}

#[tokio::test]
async fn what_is_flattened_is_told_by_its_members() {
    for client in clients().await {
        check(&client, "flat", json!({"name": "a", "stars": 5, "count": 1}), &[]).await;
        let problems =
            ["`count`: expected an integer from 1 to 9, got 0", "`stars`: expected an integer from 1 to 5, got 9"];
        check(&client, "flat", json!({"name": "a", "stars": 9, "count": 0}), &problems).await;
        check(&client, "flat_shape", json!({"kind": "square", "size": 20}), &[]).await;
        check(
            &client,
            "flat_shape",
            json!({"kind": "circle", "size": 20}),
            &["`size`: expected an integer from 0 to 10, got 20"],
        )
        .await;
    }
}

#[tokio::test]
async fn what_is_not_advertised_is_not_asked() {
    let [portable, full] = clients().await;
    let twice = json!({"texts": ["a", "b", "a"]});
    check(&portable, "set", twice.clone(), &[]).await;
    check(&full, "set", twice, &["`texts`: expected each item once, got the string \"a\" again"]).await;
    for client in [portable, full] {
        check(&client, "by_hand", json!({"item": {"name": "a", "stars": 9}}), &[]).await;
        check(&client, "foreign", json!({"text": {"text": "abc"}}), &[]).await;
        let problem = "`text.text`: expected a string of at most 3 characters, got the string \"abcd\"";
        check(&client, "foreign", json!({"text": {"text": "abcd"}}), &[problem]).await;
    }
}

#[tokio::test]
async fn what_cannot_be_read_is_not_passed_over() {
    let connection = Connection::open(portable::server()).unwrap();
    for message in [
        r#"{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},
            "clientInfo":{"name":"test","version":"1"}}}"#,
        r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#,
    ] {
        connection.send(message.as_bytes()).await;
    }
    connection.receive().await.unwrap();
    // No type looks at the other member, and it is no number that a value can have.
    for (stars, other, is_refused) in [(5, "5", false), (9, "5", true), (9, "1e999", true)] {
        let message = format!(
            r#"{{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{{"name":"take","arguments":{{"item":
                {{"name":"a","stars":{stars},"other":{other}}}}}}}}}"#
        );
        connection.send(message.as_bytes()).await;
        let answer: Value = serde_json::from_slice(&connection.receive().await.unwrap()).unwrap();
        assert_eq!(answer["result"]["isError"].as_bool().unwrap_or_default(), is_refused, "{message}: {answer}");
    }
}
