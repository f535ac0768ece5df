//! Blocks may be generic: what their tools need of the parameters, the block says.
#![deny(warnings)]

use std::fmt::Display;

use mcp_runtime::prelude::*;

struct Store<'a, T, const N: usize>
where
    T: 'a,
{
    values: [&'a T; N],
}

#[mcp_server]
impl<T, const N: usize> Store<'static, T, N>
where
    T: Display + Sync + serde::de::DeserializeOwned + schemars::JsonSchema + Send,
{
    /// The value at an index.
    #[mcp_tool]
    fn value(&self, index: usize) -> Result<String, String> {
        self.values.get(index).map(ToString::to_string).ok_or_else(|| format!("there are {N} values"))
    }

    /// How a value is written.
    #[mcp_tool]
    async fn written(&self, value: T) -> String {
        value.to_string()
    }

    #[mcp_resource(uri = "store://{index}")]
    async fn read(&self, index: usize, context: Context) -> Result<String, String> {
        drop(context);
        self.value(index)
    }
}

fn main() {
    let store = Store { values: [&1, &2] };
    assert_eq!(store.value(1).as_deref(), Ok("2"));
    let _server: McpServer = store.into_server();
}
