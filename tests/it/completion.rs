//! Completing arguments: by functions, by what was chosen before, and by types that list their values.

use std::str::FromStr;

use mcp_runtime::{CompletionRequest, prelude::*};
use schemars::JsonSchema;
use serde_json::{Value, json};

use crate::everywhere_on;

#[derive(JsonSchema)]
#[serde(rename_all = "lowercase")]
#[allow(dead_code, reason = "only its names matter")]
enum Shade {
    Red,
    /// Like the rest
    Reddish,
    Green,
}

impl FromStr for Shade {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text {
            "red" => Ok(Self::Red),
            "reddish" => Ok(Self::Reddish),
            "green" => Ok(Self::Green),
            _ => Err("no shade".to_owned()),
        }
    }
}

#[mcp_server(name = "completing", version = "1.0.0")]
mod completing {
    use super::*;

    /// Paints a thing
    #[mcp_prompt]
    fn paint(
        shade: Option<Shade>,
        glossy: bool,
        #[mcp(complete = things)] thing: String,
        #[mcp(complete = own)] own: Shade,
        free: String,
        context: Context,
    ) -> String {
        drop((shade, own, context));
        format!("{glossy} {thing} {free}")
    }

    /// A picture by its shade
    #[mcp_resource(uri = "picture://{shade}/{name}")]
    fn picture(shade: Shade, #[mcp(complete = later)] name: String) -> String {
        let _ = shade;
        name
    }

    fn things(request: &CompletionRequest) -> Vec<String> {
        let shade = request.argument("shade").unwrap_or("any");
        vec![format!("{} of {shade}", request.value), format!("{} known", request.arguments.len())]
    }

    fn own(_: &str) -> [&'static str; 1] {
        ["only this"]
    }

    async fn later(request: &CompletionRequest) -> Vec<String> {
        tokio::task::yield_now().await;
        request.arguments.keys().cloned().collect()
    }
}

#[tokio::test]
async fn values_come_from_the_function_or_from_the_type() {
    let paint = json!({"type": "ref/prompt", "name": "paint"});
    let picture = json!({"type": "ref/resource", "uri": "picture://{shade}/{name}"});
    let read = json!({"type": "ref/resource", "uri": "picture://red/x"});
    let check = async |reference: &Value, argument: &str, typed: &str, context: Value, expected: &[&str]| {
        everywhere_on(completing::server, async |case, _| {
            let params = json!({
                "ref": reference, "argument": {"name": argument, "value": typed}, "context": context,
            });
            let result = case.wire.result("completion/complete", params).await;
            let completion = json!({"values": expected, "total": expected.len(), "hasMore": false});
            assert_eq!(result["completion"], completion, "{}: {argument} {typed}", case.name);
        })
        .await;
    };
    check(&paint, "shade", "", json!(null), &["red", "green", "reddish"]).await;
    check(&paint, "shade", "RED", json!({}), &["red", "reddish"]).await;
    check(&paint, "shade", "redder", json!({}), &[]).await;
    check(&paint, "glossy", "t", json!({}), &["true"]).await;
    check(&paint, "own", "r", json!({}), &["only this"]).await;
    check(&paint, "free", "", json!({}), &[]).await;
    check(&paint, "thing", "box", json!({}), &["box of any", "0 known"]).await;
    check(&paint, "thing", "", json!({"arguments": {"shade": "red", "x": "y"}}), &[" of red", "2 known"]).await;
    check(&picture, "shade", "g", json!({}), &["green"]).await;
    check(&read, "name", "", json!({"arguments": {"shade": "red"}}), &["shade"]).await;
}

#[tokio::test]
async fn a_completion_that_does_not_fit_is_refused() {
    everywhere_on(completing::server, async |case, _| {
        let paint = json!({"type": "ref/prompt", "name": "paint"});
        let argument = json!({"name": "shade", "value": ""});
        for params in [
            json!({}),
            json!({"ref": paint}),
            json!({"ref": paint, "argument": {"name": "shade"}}),
            json!({"ref": paint, "argument": {"name": "context", "value": ""}}),
            json!({"ref": paint, "argument": argument, "context": 5}),
            json!({"ref": paint, "argument": argument, "context": {"arguments": {"x": 5}}}),
            json!({"ref": {"type": "ref/resource", "uri": "picture://"}, "argument": argument}),
        ] {
            let refusal = case.wire.refusal("completion/complete", params.clone()).await;
            assert_eq!(refusal["code"], -32602, "{}: {params}", case.name);
        }
    })
    .await;
}
