#![allow(unused_variables)]

use mcp_runtime::{Claims, prelude::*};

/// Does something.
#[mcp_tool]
fn run(context: &Context, state: &mut mcp_runtime::State<u8>, claims: &Claims<String>, text: &String) {}

fn main() {
    let _: Option<run> = None;
    let _ = run;
}
