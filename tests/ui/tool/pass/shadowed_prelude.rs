//! Generated code does not rest on names that a program may give another meaning.
#![allow(dead_code, non_camel_case_types)]

mod names {
    pub struct Result;
    pub struct Option;
    pub struct Some;
    pub struct None;
    pub struct Ok;
    pub struct Err;
    pub struct Vec;
    pub struct Box;
    pub struct String;
    pub struct Arc;
    pub struct Clone;
    pub struct Default;
    pub struct Into;
    pub struct From;
    pub struct Fn;
    pub struct Send;
    pub struct Sync;
    pub struct server;
    pub struct call;
    pub struct arguments;
    pub struct returns;
    pub mod mcp_runtime {}
    pub mod std {}
    pub mod core {}
}

mod tools {
    use super::names::*;

    /// Adds two numbers.
    #[::mcp_runtime::mcp_tool]
    pub fn add(a: i64, #[mcp(default)] b: i64, #[mcp(default = "x")] _text: ::std::string::String) -> i64 {
        a + b
    }

    /// Adds two numbers, later.
    #[::mcp_runtime::mcp_tool(input_schema = ::serde_json::json!({}))]
    pub async fn add_later(a: i64, b: ::std::option::Option<i64>) -> ::std::result::Result<i64, ::std::string::String> {
        ::std::result::Result::Ok(a + b.unwrap_or(1))
    }

    #[::mcp_runtime::mcp_prompt]
    pub fn ask(#[mcp(complete = words)] word: ::std::string::String) -> ::std::string::String {
        word
    }

    #[::mcp_runtime::mcp_resource(uri = "a://{b}", annotations(audience = ["user"]))]
    pub fn read(b: ::std::string::String, _context: ::mcp_runtime::Context) -> ::std::string::String {
        b
    }

    fn words(_: &str) -> ::std::vec::Vec<::std::string::String> {
        ::std::vec::Vec::new()
    }

    pub struct Weather;

    #[::mcp_runtime::mcp_server(transport = "sse", cors = ["https://example.com"])]
    impl Weather {
        /// Forecast.
        #[mcp_tool]
        fn forecast(&self) {}

        /// Forecast, later.
        #[mcp_tool]
        async fn later(self: ::std::sync::Arc<Self>) {}
    }

    #[::mcp_runtime::mcp_server]
    pub mod calculator {
        use super::super::names::*;

        /// Nothing.
        #[mcp_tool]
        fn nothing() {}
    }
}

fn main() {
    assert_eq!(tools::add(1, 2, ::std::string::String::new()), 3);
    let _ = (tools::Weather.into_server(), tools::calculator::server());
}
