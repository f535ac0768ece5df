#[mcp_resource(uri = "weather://{city")]
pub fn now(#[mcp(minimum = 1)] city: &str) -> String {
    city.to_owned()
}
