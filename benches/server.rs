//! `bench-server`: the server that is measured. It takes the options of every server (stdio where nothing says
//! otherwise); `BENCH_TOOLS` is how many tools it has, no fewer than its own.

fn main() -> Result<(), mcp_runtime::Error> {
    let tools = std::env::var("BENCH_TOOLS").ok().and_then(|tools| tools.parse().ok()).unwrap_or(0);
    mcp_benches::server(tools).run_blocking()
}
