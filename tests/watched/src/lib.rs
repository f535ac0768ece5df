//! mcp-runtime, but that its test client holds the server to the standard's schemas: for code that names `mcp_runtime` alone.

pub use mcp_runtime::*;

/// As in mcp-runtime.
pub mod testing {
    pub use mcp_runtime::testing::*;

    mcp_test_schema::test_client!(pub);
}
