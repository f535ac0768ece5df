#[mcp_server(
    name = "weather",
    version = "1.0.0",
    title = "Weather",
    description = "The weather of the world",
    instructions = "Ask for a city.",
    website_url = "https://example.com",
    icons = ["https://example.com/sun.png"],
    profile = "full",
    transport = "sse",
    auth = "jwt",
    port = 8080,
    endpoint = "/events",
    message_endpoint = "/messages",
    resumability,
    cors = ["https://app.example.com"]
)]
mod weather {}
