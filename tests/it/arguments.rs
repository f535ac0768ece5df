//! Wrong arguments: every one named at once, by path, with what was expected and what came.

use std::collections::BTreeMap;

use mcp_runtime::{prelude::*, testing::TestClient};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

use crate::everywhere;

#[tokio::test]
async fn every_wrong_argument_is_named() {
    const RIGHT: &str = r#"{"days": 3, "code": "abc", "tags": [], "colour": "red",
        "address": {"street": "Elm", "number": 5}}"#;
    everywhere(async |case| {
        for (change, expected) in [
            (json!({}), vec![]),
            (json!({"days": 8}), vec!["`days`: expected a number from 1 to 7, got 8"]),
            (json!({"days": 300}), vec!["`days`: expected an integer from 1 to 7, got 300"]),
            (json!({"days": "x"}), vec!["`days`: expected an integer from 1 to 7, got the string \"x\""]),
            (json!({"code": "a"}), vec!["`code`: expected at least 2 characters, got 1"]),
            (json!({"code": "AB"}), vec!["`code`: expected text that matches ^[a-z]+$, got \"AB\""]),
            (json!({"tags": ["a", "b", "c"]}), vec!["`tags`: expected at most 2 items, got 3"]),
            (json!({"tags": ["a", 5]}), vec!["`tags[1]`: expected a string, got 5"]),
            (json!({"colour": "blue"}), vec!["`colour`: expected one of \"red\", \"green\", got the string \"blue\""]),
            (
                json!({"address": {"street": "Elm", "number": "x"}}),
                vec!["`address.number`: expected an integer from 0 to 65535, got the string \"x\""],
            ),
            (
                json!({"address": {"street": "Elm"}}),
                vec!["`address.number`: missing, expected an integer from 0 to 65535"],
            ),
            (json!({"note": 5}), vec!["`note`: expected a string, got 5"]),
            (json!({"nota": "x"}), vec!["`nota`: unknown argument, did you mean `note`?"]),
            (json!({"entirely": 1}), vec!["`entirely`: unknown argument"]),
            (
                json!({"days": null, "code": 5, "tags": "x", "extra_thing": 1}),
                vec![
                    "`extra_thing`: unknown argument",
                    "`days`: expected an integer from 1 to 7, got null",
                    "`code`: expected a string, got 5",
                    "`tags`: expected an array, got the string \"x\"",
                ],
            ),
        ] {
            let mut arguments: Value = serde_json::from_str(RIGHT).unwrap();
            arguments.as_object_mut().unwrap().extend(change.as_object().unwrap().clone());
            let result = case.wire.call("kinds", arguments).await;
            let text = result["content"][0]["text"].as_str().unwrap();
            if expected.is_empty() {
                assert_eq!(text, "3 abc [] red Elm 5 None None", "{}", case.name);
                continue;
            }
            assert_eq!(result["isError"], true, "{}: {change}", case.name);
            let lines: Vec<_> = text.lines().map(|line| line.trim_start_matches("- ")).collect();
            assert_eq!(lines[0], "Invalid arguments for tool `kinds`:", "{}", case.name);
            assert_eq!(lines[1..], expected, "{}: {change}", case.name);
        }
    })
    .await;
}

#[tokio::test]
async fn what_is_missing_is_named_with_its_kind() {
    everywhere(async |case| {
        let result = case.wire.call("add", json!({"a": "x"})).await;
        let expected = "Invalid arguments for tool `add`:\n\
            - `a`: expected an integer, got the string \"x\"\n\
            - `b`: missing, expected an integer";
        assert_eq!(result["content"][0]["text"], expected, "{}", case.name);
        assert_eq!(result["isError"], true);
    })
    .await;
}

#[tokio::test]
async fn numbers_as_text_are_understood_unless_the_tool_is_strict() {
    everywhere(async |case| {
        for (tool, arguments, text) in [
            ("add", json!({"a": "5", "b": 5.0}), Some("10")),
            ("add", json!({"a": 5e0, "b": " 5 "}), Some("10")),
            ("add", json!({"a": 5.5, "b": 1}), None),
            ("sum", json!({"numbers": [1.0, "2", 3]}), Some("6")),
            ("sum", json!({"numbers": "[1, 2]"}), Some("3")),
            ("window", json!({"name": "n", "from": "1", "to": "null"}), Some("n 1 None")),
            ("exact", json!({"n": 5}), Some("5")),
            ("exact", json!({"n": "5"}), None),
            ("exact", json!({"n": 5.0}), None),
            ("echo", json!({"message": "5"}), Some("5")),
            ("echo", json!({"message": 5}), None),
        ] {
            let result = case.wire.call(tool, arguments.clone()).await;
            match text {
                Some(text) => assert_eq!(result["content"][0]["text"], text, "{}: {tool} {arguments}", case.name),
                None => assert_eq!(result["isError"], true, "{}: {tool} {arguments}", case.name),
            }
        }
    })
    .await;
}

/// Takes whole numbers
#[mcp_tool]
fn whole(
    unsigned: Option<u64>,
    signed: Option<i64>,
    #[mcp(minimum = 5)] bounded: Option<u64>,
    #[mcp(exclusive_maximum = 9)] low: Option<i64>,
    list: Option<Vec<u64>>,
) -> String {
    format!("{unsigned:?} {signed:?} {bounded:?} {low:?} {list:?}")
}

#[tokio::test]
async fn what_64_bits_do_not_hold_is_told_with_both_bounds() {
    let client = TestClient::connect(McpServer::default().tool::<whole>()).await.unwrap();
    for (arguments, expected) in [
        (json!({"unsigned": 2e19}), "`unsigned`: expected an integer from 0 to 18446744073709551615, got 2e+19"),
        (json!({"unsigned": -1}), "`unsigned`: expected an integer of at least 0, got -1"),
        (json!({"unsigned": 0.5}), "`unsigned`: expected an integer of at least 0, got 0.5"),
        (
            json!({"signed": 9_223_372_036_854_775_808_u64}),
            "`signed`: expected an integer from -9223372036854775808 to 9223372036854775807, got 9223372036854775808",
        ),
        (json!({"bounded": 2e19}), "`bounded`: expected an integer from 5 to 18446744073709551615, got 2e+19"),
        (json!({"low": -1e19}), "`low`: expected an integer of at least -9223372036854775808 and below 9, got -1e+19"),
        (
            json!({"list": [1, 2e19]}),
            "`list[1]`: expected an integer from 0 to 18446744073709551615, got floating point `2e+19`",
        ),
    ] {
        let result = client.call("whole", arguments.clone()).await.unwrap();
        let text = result.first_text().unwrap();
        assert_eq!(text.lines().nth(1), Some(format!("- {expected}").as_str()), "{arguments}: {text}");
    }
}

#[tokio::test]
async fn a_flattened_struct_takes_its_own_members() {
    everywhere(async |case| {
        for (arguments, text) in
            [(json!({"name": "n", "from": 1}), "n 1 None"), (json!({"name": "n", "from": 1, "to": 2}), "n 1 Some(2)")]
        {
            let result = case.wire.call("window", arguments).await;
            assert_eq!(result["content"][0]["text"], text, "{}: {result}", case.name);
        }
        for (tool, arguments, problem) in [
            ("window", json!({"name": "n"}), "`from`: missing, expected an integer of at least 0"),
            (
                "window",
                json!({"name": "n", "from": "x"}),
                "`from`: expected an integer of at least 0, got the string \"x\"",
            ),
            ("window", json!({"name": "n", "from": 1, "form": 2}), "`form`: unknown argument, did you mean `from`?"),
            (
                "two_structs",
                json!({"from": 1, "street": "Elm"}),
                "`number`: missing, expected an integer from 0 to 65535",
            ),
        ] {
            let result = case.wire.call(tool, arguments.clone()).await;
            let expected = format!("Invalid arguments for tool `{tool}`:\n- {problem}");
            assert_eq!(result["content"][0]["text"], expected, "{}: {arguments}", case.name);
        }
        let both = json!({"from": 1, "street": "Elm", "number": 5});
        assert_eq!(case.wire.call("two_structs", both).await["content"][0]["text"], "1 Elm 5", "{}", case.name);
    })
    .await;
}

#[tokio::test]
async fn an_argument_given_twice_is_refused() {
    everywhere(async |case| {
        let meta = case.meta_text();
        let text = format!(
            r#"{{"jsonrpc":"2.0","id":"twice","method":"tools/call",
            "params":{{{meta}"name":"add","arguments":{{"a":1,"b":2,"a":3}}}}}}"#
        );
        case.wire.send_text(&text.replace('\n', " ")).await;
        let answer = case.wire.answer(&json!("twice")).await;
        assert_eq!(answer["result"]["isError"], true, "{}: {answer}", case.name);

        let text = format!(
            r#"{{"jsonrpc":"2.0","id":"flat","method":"tools/call",
            "params":{{{meta}"name":"window","arguments":{{"name":"n","from":1,"from":2}}}}}}"#
        );
        case.wire.send_text(&text.replace('\n', " ")).await;
        let answer = case.wire.answer(&json!("flat")).await;
        let text = answer["result"]["content"][0]["text"].as_str().unwrap();
        assert!(text.ends_with("- `from`: given twice"), "{}: {text}", case.name);

        // Below an argument, too, and where something else might be mended.
        let text = format!(
            r#"{{"jsonrpc":"2.0","id":"below","method":"tools/call","params":{{{meta}"name":"kinds","arguments":{{
            "days":3,"code":"abc","tags":[],"colour":"red","address":{{"street":"Elm","number":"5","number":6}}}}}}}}"#
        );
        case.wire.send_text(&text.replace('\n', " ")).await;
        let answer = case.wire.answer(&json!("below")).await;
        assert_eq!(answer["result"]["isError"], true, "{}: {answer}", case.name);
    })
    .await;
}

#[derive(Debug, Deserialize, JsonSchema)]
#[allow(dead_code, reason = "shown by `Debug`")]
struct Order {
    number: u16,
    street: String,
    door: Option<i8>,
    express: bool,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[allow(dead_code, reason = "shown by `Debug`")]
struct Point {
    x: i32,
    y: f64,
    weights: Option<[u8; 3]>,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "lowercase")]
#[allow(dead_code, reason = "shown by `Debug`")]
enum Shape {
    Circle { radius: u8, label: String },
    Many { points: Vec<Point> },
}

#[derive(Debug, Deserialize, JsonSchema)]
#[allow(dead_code, reason = "shown by `Debug`")]
enum Level {
    Off,
    Number(u8),
    At(Point),
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(untagged)]
#[allow(dead_code, reason = "shown by `Debug`")]
enum Mixed {
    Number(u8),
    Text(String),
    Nest(Vec<Mixed>),
}

/// Shows what it is given
#[allow(clippy::too_many_arguments, reason = "one of each kind")]
#[mcp_tool]
fn show(
    order: Option<Order>,
    shape: Option<Shape>,
    level: Option<Level>,
    points: Option<Vec<Point>>,
    texts: Option<Vec<String>>,
    mixed: Option<Vec<(Mixed, u8)>>,
    text: Option<String>,
    flag: Option<bool>,
    letter: Option<char>,
    address: Option<std::net::Ipv4Addr>,
    three: Option<[u8; 3]>,
    by_number: Option<BTreeMap<u8, u8>>,
) -> String {
    let shown = [
        order.map(|it| format!("{it:?}")),
        shape.map(|it| format!("{it:?}")),
        level.map(|it| format!("{it:?}")),
        points.map(|it| format!("{it:?}")),
        texts.map(|it| format!("{it:?}")),
        mixed.map(|it| format!("{it:?}")),
        text.map(|it| format!("{it:?}")),
        flag.map(|it| format!("{it:?}")),
        letter.map(|it| format!("{it:?}")),
        address.map(|it| format!("{it:?}")),
        three.map(|it| format!("{it:?}")),
        by_number.map(|it| format!("{it:?}")),
    ];
    shown.into_iter().flatten().collect()
}

/// Shows what it is given to the letter
#[mcp_tool(strict)]
fn show_strictly(order: Option<Order>, shape: Option<Shape>, flag: Option<bool>) -> String {
    format!("{order:?} {shape:?} {flag:?}")
}

async fn shower() -> TestClient {
    let server = McpServer::new(ServerOptions::default()).tool::<show>().tool::<show_strictly>();
    TestClient::connect(server).await.expect("a client")
}

#[tokio::test]
async fn all_that_is_wrong_below_an_argument_is_named() {
    let client = shower().await;
    let check = async |arguments: Value, expected: &[&str]| {
        let result = client.call("show", arguments.clone()).await.unwrap();
        let text = result.first_text().unwrap();
        let lines: Vec<_> = text.lines().skip(1).map(|line| line.trim_start_matches("- ")).collect();
        assert_eq!(lines, expected, "{arguments}: {text}");
    };
    check(
        json!({"order": {"street": 5, "nubmer": 3, "door": 200, "express": "7"}, "flga": true}),
        &[
            "`flga`: unknown argument, did you mean `flag`?",
            "`order.number`: missing, expected an integer from 0 to 65535",
            "`order.door`: expected an integer from -128 to 127, got 200",
            "`order.express`: expected a boolean, got the string \"7\"",
            "`order.nubmer`: unknown member, did you mean `number`?",
            "`order.street`: expected a string, got 5",
        ],
    )
    .await;
    check(
        json!({"points": [{"x": 1, "y": "z"}, {"x": 0.5}, 5, {"x": 3_000_000_000_u32, "y": 1}]}),
        &[
            "`points[0].y`: expected a number, got the string \"z\"",
            "`points[1].y`: missing, expected a number",
            "`points[1].x`: expected an integer from -2147483648 to 2147483647, got 0.5",
            "`points[2]`: expected an object, got 5",
            "`points[3].x`: expected an integer from -2147483648 to 2147483647, got 3000000000",
        ],
    )
    .await;
    for (shape, expected) in [
        (json!({"kind": "circle", "label": 5}), "`shape.radius`: missing, expected an integer from 0 to 255"),
        (json!({"kind": "round"}), "`shape.kind`: expected one of \"circle\", \"many\", got the string \"round\""),
        (json!({"radius": 5}), "`shape.kind`: missing, expected one of \"circle\", \"many\""),
        (json!({"kind": "many", "points": [{"x": 1, "y": null}]}), "`shape.points[0].y`: expected a number, got null"),
        (
            json!({"kind": "many", "points": [{"x": 1, "y": 1, "weights": [1, 2]}]}),
            "`shape.points[0].weights`: expected an array of 3 items, got 2",
        ),
        (json!("circle"), "`shape`: expected an object, got the string \"circle\""),
    ] {
        let result = client.call("show", json!({"shape": shape})).await.unwrap();
        let text = result.first_text().unwrap();
        assert_eq!(text.lines().nth(1), Some(format!("- {expected}").as_str()), "{shape}: {text}");
    }
    check(json!({"level": {"Number": 256}}), &["`level.Number`: expected an integer from 0 to 255, got 256"]).await;
    check(json!({"level": {"Loud": 1}}), &["`level`: expected an object with one of `Number`, `At`, got `Loud`"]).await;
    check(
        json!({"address": "here"}),
        &["`address`: expected a string (ipv4), got the string \"here\": invalid IPv4 address syntax"],
    )
    .await;
    check(json!({"three": [1, 2]}), &["`three`: expected an array of 3 items, got 2"]).await;
    check(json!({"three": [1, 2, 3, 4]}), &["`three`: expected an array of 3 items, got 4"]).await;
    check(json!({"level": "Loud"}), &["`level`: expected one of \"Off\" or an object, got the string \"Loud\""]).await;
    check(
        json!({"shape": {"kidn": "circle", "radius": 300, "points": 5}}),
        &[
            "`shape.kind`: missing, expected one of \"circle\", \"many\"",
            "`shape.kidn`: unknown member, did you mean `kind`?",
            "`shape.points`: expected an array, got 5",
            "`shape.radius`: expected an integer from 0 to 255, got 300",
        ],
    )
    .await;
    // What would be mended were the rest right is not blamed.
    check(
        json!({"order": {"number": "5", "street": 7, "express": true}}),
        &["`order.street`: expected a string, got 7"],
    )
    .await;
    check(
        json!({"by_number": {"x": 1}}),
        &["`by_number`: a name in it does not fit: invalid value: expected key to be a number in quotes"],
    )
    .await;
    check(json!({"letter": "ab"}), &["`letter`: expected a character, got string \"ab\""]).await;
    check(
        json!({"mixed": [[true, 1]]}),
        &["`mixed[0][0]`: expected an integer from 0 to 255 or a string or an array, got true"],
    )
    .await;
}

/// A text with a grammar, as `chrono::DateTime` has one.
#[derive(Deserialize, JsonSchema)]
#[serde(try_from = "String")]
#[schemars(extend("format" = "date-time"))]
struct When;

impl TryFrom<String> for When {
    type Error = &'static str;

    fn try_from(text: String) -> Result<Self, &'static str> {
        if text.contains('T') { Ok(Self) } else { Err("premature end of input") }
    }
}

#[derive(Deserialize, JsonSchema)]
#[serde(try_from = "u8")]
struct Even;

impl TryFrom<u8> for Even {
    type Error = &'static str;

    fn try_from(number: u8) -> Result<Self, &'static str> {
        if number.is_multiple_of(2) { Ok(Self) } else { Err("must be even") }
    }
}

#[derive(Deserialize, JsonSchema)]
#[allow(dead_code, reason = "only refused")]
enum Change {
    Nothing,
    By(u8),
    Between(u8, u8),
    To { value: u8 },
}

#[derive(Deserialize, JsonSchema)]
#[allow(dead_code, reason = "only refused")]
struct Event {
    at: Option<When>,
    /// Where it comes from
    from: Option<std::net::IpAddr>,
    count: Option<Even>,
    change: Option<Change>,
    then: Option<Vec<Event>>,
    named: Option<BTreeMap<String, When>>,
}

/// Takes what has grammars
#[mcp_tool]
fn note(
    event: Option<Event>,
    change: Option<Change>,
    #[mcp(format = "time")] at: Option<When>,
    all: Option<[When; 2]>,
) -> usize {
    [event.is_some(), change.is_some(), at.is_some(), all.is_some()].into_iter().filter(|it| *it).count()
}

#[tokio::test]
async fn a_grammar_is_told_with_what_came() {
    let client = TestClient::connect(McpServer::new(ServerOptions::default()).tool::<note>()).await.unwrap();
    let check = async |arguments: Value, expected: &[&str]| {
        let result = client.call("note", arguments.clone()).await.unwrap();
        let text = result.first_text().unwrap();
        let lines: Vec<_> = text.lines().skip(1).map(|line| line.trim_start_matches("- ")).collect();
        assert_eq!(lines, expected, "{arguments}: {text}");
    };
    let day = "got the string \"2025-01-01\": premature end of input";
    let (date, time) = (format!("expected a string (date-time), {day}"), format!("expected a string (time), {day}"));
    for (arguments, place, told) in [
        (json!({"event": {"at": "2025-01-01"}}), "event.at", date.as_str()),
        (json!({"event": {"then": [{}, {"at": "2025-01-01"}]}}), "event.then[1].at", &date),
        (json!({"event": {"named": {"first": "2025-01-01"}}}), "event.named.first", &date),
        (json!({"all": ["T", "2025-01-01"]}), "all[1]", &date),
        (json!({"at": "2025-01-01"}), "at", &time),
        (
            json!({"event": {"from": "here"}}),
            "event.from",
            "expected a string (ip), got the string \"here\": invalid IP address syntax",
        ),
        (json!({"event": {"count": 3}}), "event.count", "must be even, got 3"),
    ] {
        check(arguments, &[&format!("`{place}`: {told}")]).await;
    }
    for variant in ["By", "Between", "To"] {
        let told = format!("expected an object with the member `{variant}`, got the string \"{variant}\"");
        check(json!({"change": variant}), &[&format!("`change`: {told}")]).await;
        check(json!({"event": {"change": variant}}), &[&format!("`event.change`: {told}")]).await;
        let both = json!({"event": {"change": variant, "count": "x"}});
        let count = "`event.count`: expected an integer from 0 to 255, got the string \"x\"";
        check(both, &[count, &format!("`event.change`: {told}")]).await;
    }
}

#[tokio::test]
async fn what_was_meant_is_understood_at_any_depth_and_text_is_left_alone() {
    let client = shower().await;
    for (arguments, expected) in [
        (
            json!({"order": {"number": "5", "street": "7", "door": "null", "express": "true"}}),
            Some("Order { number: 5, street: \"7\", door: None, express: true }"),
        ),
        (
            json!({"order": r#"{"number": 5.0, "street": "null", "express": false}"#}),
            Some("Order { number: 5, street: \"null\", door: None, express: false }"),
        ),
        (json!({"shape": {"kind": "circle", "radius": "5", "label": "6"}}), Some("Circle { radius: 5, label: \"6\" }")),
        (
            json!({"shape": {"kind": "many", "points": r#"[{"x": "1", "y": "2.5"}]"#}}),
            Some("Many { points: [Point { x: 1, y: 2.5, weights: None }] }"),
        ),
        (json!({"level": {"Number": "5"}}), Some("Number(5)")),
        (json!({"level": {"At": {"x": "5.0", "y": 1}}}), Some("At(Point { x: 5, y: 1.0, weights: None })")),
        (json!({"level": "Off"}), Some("Off")),
        (json!({"points": "[{\"x\": 1, \"y\": 2}]"}), Some("[Point { x: 1, y: 2.0, weights: None }]")),
        (json!({"texts": "[\"1\", \"null\"]"}), Some("[\"1\", \"null\"]")),
        (json!({"texts": ["5", "true"]}), Some("[\"5\", \"true\"]")),
        (json!({"texts": [5]}), None),
        (json!({"texts": "[5]"}), None),
        (json!({"mixed": [["5", "6"]]}), Some("[(Text(\"5\"), 6)]")),
        (json!({"text": "null"}), Some("\"null\"")),
        (json!({"text": null}), Some("")),
        (json!({"text": true}), None),
        (json!({"flag": "true"}), Some("true")),
        (json!({"flag": "null"}), Some("")),
        (json!({"flag": "yes"}), None),
        (json!({"flag": 1}), None),
        (json!({"letter": "5"}), Some("'5'")),
        (json!({"letter": 5}), None),
    ] {
        let result = client.call("show", arguments.clone()).await.unwrap();
        let text = result.first_text().unwrap_or_default();
        assert_eq!((!result.is_error).then_some(text), expected, "{arguments}: {text}");
    }
    for arguments in [
        json!({"order": {"number": "5", "street": "7", "express": true}}),
        json!({"order": {"number": 5.0, "street": "7", "express": true}}),
        json!({"order": r#"{"number": 5, "street": "7", "express": true}"#}),
        json!({"shape": {"kind": "circle", "radius": "5", "label": "6"}}),
        json!({"flag": "true"}),
        json!({"flag": "null"}),
    ] {
        let result = client.call("show_strictly", arguments.clone()).await.unwrap();
        assert!(result.is_error, "{arguments}");
    }
}

#[tokio::test]
async fn the_search_for_what_was_meant_ends() {
    let client = shower().await;
    let mut nest = json!(true);
    for _ in 0..100 {
        nest = json!([nest, nest_of(1)]);
    }
    let result = client.call("show", json!({"mixed": [[nest, 1]]})).await.unwrap();
    assert!(result.is_error);
}

fn nest_of(depth: usize) -> Value {
    (0..depth).fold(json!("a"), |nest, _| json!([nest]))
}

/// Counts what it is given
#[mcp_tool]
fn count(#[mcp(flatten)] anything: Anything) -> usize {
    anything.members.len()
}

#[derive(Deserialize, JsonSchema)]
struct Anything {
    #[serde(flatten)]
    members: BTreeMap<String, Value>,
}

/// Asks for nothing
#[mcp_prompt]
fn plain() -> &'static str {
    "plain"
}

#[tokio::test]
async fn as_many_arguments_as_fit_into_a_message_cost_little() {
    const MANY: usize = 100_000;
    let server = McpServer::new(ServerOptions::default()).tool::<show>().tool::<count>().prompt::<plain>();
    let client = TestClient::connect(server).await.expect("a client");
    let many: Value =
        (0..MANY).map(|index| (format!("k{index}"), json!("1"))).collect::<serde_json::Map<_, _>>().into();
    let started = std::time::Instant::now();

    let result = client.call("show", many.clone()).await.unwrap();
    let text = result.first_text().unwrap();
    assert!(text.ends_with("- and 99968 more") && text.lines().count() == 34, "{text}");
    let result = client.call("show", json!({"shape": many})).await.unwrap();
    assert!(result.first_text().unwrap().lines().count() < 20);
    assert_eq!(client.call("count", many.clone()).await.unwrap().first_text(), Some("100000"));
    let refusal = client.get_prompt("plain", many).await.unwrap_err();
    assert!(refusal.to_string().contains("- and 99968 more"), "{refusal}");

    // Name by name against all before it, the prompt and the count take minutes.
    assert!(started.elapsed() < std::time::Duration::from_secs(60), "{:?}", started.elapsed());
}

#[mcp_server(name = "named", version = "1.0.0")]
mod named {
    /// Adds what it uses.
    #[mcp_tool]
    fn add(_left: i64, left: i64, r#type: i64, #[mcp(name = "right")] _right: i64) -> i64 {
        left + r#type
    }
}

#[tokio::test]
async fn arguments_are_named_as_parameters_are_written() {
    let client = TestClient::connect(named::server()).await.unwrap();
    let result = client.call("add", json!({"_left": 1, "left": 2, "type": 3, "right": 4})).await.unwrap();
    assert_eq!(result.first_text(), Some("5"));
    let result = client.call("add", json!({"left": 2, "type": 3, "_right": 4})).await.unwrap();
    let text = result.first_text().unwrap();
    let expected = ["`_right`: unknown argument, did you mean `right`?", "`_left`: missing", "`right`: missing"];
    for expected in expected {
        assert!(text.contains(expected), "{expected}: {text}");
    }
}
