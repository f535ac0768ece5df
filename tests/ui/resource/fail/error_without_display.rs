use mcp_runtime::prelude::*;

struct Broken;

#[mcp_resource(uri = "disk://first")]
fn first() -> Result<String, Broken> {
    Err(Broken)
}

fn main() {}
