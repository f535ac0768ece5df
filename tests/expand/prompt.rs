/// What to pack.
#[mcp_prompt(title = "Packing")]
fn packing(#[mcp(complete = cities)] city: String, #[mcp(default = 3)] days: u8) -> String {
    format!("{city} {days}")
}
