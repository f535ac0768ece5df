#![allow(unused_variables)]

use mcp_runtime::prelude::*;

#[mcp_resource(uri = "data://{a}")]
fn run(a: Option<Missing1>, b: State<Missing2>) -> Result<Json<Missing3>, ResourceError> {
    b.run(a)
}

fn main() {
    let _: Option<run> = None;
    let _ = run;
}
