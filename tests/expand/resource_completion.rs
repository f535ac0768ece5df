#[mcp_resource(uri = "weather://{city}/{unit}")]
fn now(#[mcp(complete = cities)] city: String, unit: Unit) -> String {
    format!("{city} {unit}")
}
