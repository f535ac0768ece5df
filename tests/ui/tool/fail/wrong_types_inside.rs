#![allow(unused_variables)]

use mcp_runtime::prelude::*;

struct Plain;

/// Does something.
#[mcp_tool]
async fn run(a: Option<Plain>, b: State<Plain>) -> Result<Json<Plain>, ToolError> {
    Err(ToolError::new("no"))
}

/// Does something.
#[mcp_tool]
fn list(#[mcp(default = vec![])] a: Vec<Plain>) -> Vec<Plain> {
    a
}

fn main() {
    let _: Option<run> = None;
    let _ = run;
}
