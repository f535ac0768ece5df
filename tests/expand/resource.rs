/// The newest observation.
#[mcp_resource(
    uri = "weather://{city}/{+rest}",
    mime_type = "application/json",
    annotations(audience = ["user", "assistant"], priority = 0.5),
    ttl = "5m",
    cache_scope = "private"
)]
async fn current(#[mcp(complete = cities)] city: String, rest: Option<String>) -> Result<Json<Observation>, ResourceError> {
    observe(city, rest).await
}
