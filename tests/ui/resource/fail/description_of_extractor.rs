use mcp_runtime::prelude::*;

#[mcp_resource(uri = "weather://{city}")]
fn read(city: String, #[mcp(description = "Who asks")] context: Context) -> String {
    format!("{city} {context:?}")
}

fn main() {
    let _: Option<read> = None;
    let _ = read;
}
