#![allow(unused_variables)]

use mcp_runtime::prelude::*;

/// Does something.
#[mcp_tool]
fn run(a: Option<Missing1>, b: State<Missing2>) -> Result<Json<Missing3>, ToolError> {
    b.run(a)
}

/// Does something.
#[mcp_tool]
async fn wait(#[mcp(default = vec![])] a: Vec<Missing4>) -> Json<Missing5> {
    a.run().await
}

fn main() {
    let _: Option<run> = None;
    let _ = run;
}
