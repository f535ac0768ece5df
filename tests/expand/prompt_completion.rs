#[mcp_prompt]
fn packing(#[mcp(complete = words::cities)] city: String, #[mcp(default = "3")] days: Days) -> String {
    format!("{city} {days}")
}
