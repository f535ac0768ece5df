//! Fixed URIs and templates, with variables of several types.
#![deny(warnings)]

use mcp_runtime::prelude::*;

#[derive(serde::Serialize)]
struct Observation {
    degrees: f64,
}

/// The newest observation.
#[mcp_resource(
    uri = "weather://{city}/{day}/{+rest}",
    name = "observation",
    title = "Observation",
    description = "What was measured",
    mime_type = "application/json; charset=utf-8",
    scopes("weather:read"),
    icons = ["https://example.com/sun.png"],
    annotations(audience = ["user", "assistant"], priority = 0.5),
    ttl = "1h",
    cache_scope = "private",
    crate = ::mcp_runtime,
)]
async fn current(
    /// Where.
    city: String,
    day: Option<u8>,
    context: Context,
    #[mcp(name = "rest", complete = ends)] end: String,
) -> Result<Json<Observation>, ResourceError> {
    drop(context);
    if city == end { Err(ResourceError::not_found()) } else { Ok(Json(Observation { degrees: day.unwrap_or(5).into() })) }
}

async fn ends(begin: &str) -> Vec<String> {
    vec![begin.to_owned()]
}

#[mcp_resource(uri = "weather://stations")]
fn stations() -> &'static str {
    "none"
}

#[mcp_resource(uri = "weather://map.png", mime_type = "image/png")]
fn map() -> Result<Vec<u8>, std::io::Error> {
    Ok(Vec::new())
}

fn main() {
    assert_eq!(stations(), "none");
    assert!(map().is_ok());
    let _ = current;
    let _server = McpServer::default().resource::<current>().resource::<stations>().resource::<map>();
}
