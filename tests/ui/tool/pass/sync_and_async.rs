//! Both kinds of functions stay ordinary functions.
#![deny(warnings)]

use std::{
    pin::pin,
    task::{Context as Poller, Poll, Waker},
};

use mcp_runtime::prelude::*;

/// Adds two numbers.
#[mcp_tool]
fn add(a: i64, b: i64) -> i64 {
    a + b
}

/// Adds two numbers, some time.
#[mcp_tool(name = "add-later", timeout = "250ms")]
async fn add_later(a: i64, mut b: i64) -> Result<i64, ToolError> {
    b += std::future::ready(a).await;
    Ok(b)
}

/// Adds two numbers, and takes its time.
#[mcp_tool(blocking)]
fn add_slowly(a: i64, b: i64) -> i64 {
    a + b
}

fn main() {
    assert_eq!(add(1, 2), 3);
    assert_eq!(add_slowly(1, 2), 3);
    let sum = pin!(add_later(1, 2)).poll(&mut Poller::from_waker(Waker::noop()));
    assert_eq!(sum, Poll::Ready(Ok(3)));
    let _server = McpServer::default().tool::<add>().tool::<add_later>().tool::<add_slowly>();
}
