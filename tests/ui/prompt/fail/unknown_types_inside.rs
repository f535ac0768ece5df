#![allow(unused_variables)]

use mcp_runtime::prelude::*;

#[mcp_prompt]
fn run(a: Option<Missing1>, b: State<Missing2>) -> Result<Missing3, PromptError> {
    b.run(a)
}

fn main() {
    let _: Option<run> = None;
    let _ = run;
}
