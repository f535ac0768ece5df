#![allow(unused_variables)]

use mcp_runtime::prelude::*;

/// Does something.
#[mcp_tool]
fn run(text: String) -> Answer {
    Answer
}

struct Answer;

fn main() {
    let _: Option<run> = None;
    let _ = run;
}
