#![allow(unused_variables)]

use mcp_runtime::prelude::*;

/// Does something.
#[mcp_tool]
fn run(text: String) -> Option<Answer> {
    Some(Answer)
}

struct Answer;

fn main() {
    let _: Option<run> = None;
    let _ = run;
}
