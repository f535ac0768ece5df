//! What is taken from the context is known by its trait, whatever its name.
#![deny(warnings)]

use mcp_runtime::{Context as Cx, FromContext, State, prelude::*};

/// It looks like an argument, and is none.
struct Json2;

impl FromContext for Json2 {
    type Error = String;

    fn from_context(_: &Cx) -> Result<Self, String> {
        Ok(Self)
    }
}

type Names = State<Vec<String>>;

/// Counts.
#[mcp_tool]
async fn count(cx: Cx, names: Names, _nothing: Json2, at_least: usize) -> usize {
    cx.progress(1, 2).await;
    names.len().max(at_least)
}

#[mcp_resource(uri = "names://{index}")]
fn name(index: usize, names: Names) -> Option2 {
    Option2(names.get(index).cloned())
}

/// Own results, too.
struct Option2(Option<String>);

impl mcp_runtime::IntoReadResourceResult for Option2 {
    fn into_read_resource_result(
        self,
        request: &mcp_runtime::ReadRequest,
    ) -> Result<mcp_runtime::protocol::ReadResourceResult, mcp_runtime::protocol::RpcError> {
        self.0.ok_or_else(ResourceError::not_found).into_read_resource_result(request)
    }
}

#[mcp_prompt]
fn greet(names: Names) -> String {
    names.join(", ")
}

fn main() {
    let names = State(vec!["a".to_owned()]);
    assert_eq!(name(0, names.clone()).0.as_deref(), Some("a"));
    assert_eq!(greet(names), "a");
    let _ = count;
    let _server = McpServer::default().tool::<count>().resource::<name>().prompt::<greet>();
}
