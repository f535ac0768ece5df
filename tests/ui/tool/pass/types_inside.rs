//! Types that hold others, which generated code does not name: they are those of the signature.

#![allow(dead_code, unused_variables)]
#![deny(warnings)]

use std::{collections::BTreeMap, sync::Arc};

use mcp_runtime::prelude::*;

#[derive(Clone, Default, serde::Serialize, serde::Deserialize, schemars::JsonSchema)]
struct Item {
    name: String,
}

struct Array<T, const N: usize>([T; N]);

impl<T: Clone + Send + Sync + 'static> mcp_runtime::FromContext for Array<T, 2>
where
    T: Default,
{
    type Error = std::convert::Infallible;

    fn from_context(_: &Context) -> Result<Self, Self::Error> {
        Ok(Self([T::default(), T::default()]))
    }
}

const TWO: usize = 2;

/// Does something.
#[mcp_tool]
async fn all(
    items: Vec<Item>,
    by_name: BTreeMap<String, Item>,
    one: Option<Box<Item>>,
    state: State<Arc<Item>>,
    array: Array<Item, TWO>,
    #[mcp(default)] more: Vec<Item>,
    #[mcp(default = None)] other: Option<Item>,
) -> Result<Json<Vec<Item>>, Box<dyn std::error::Error + Send + Sync>> {
    Ok(Json(items))
}

/// Does something.
#[mcp_tool(blocking)]
#[deprecated]
#[must_use]
fn blocks(items: Vec<Item>) -> Result<Json<Item>, ToolError> {
    items.into_iter().next().map(Json).ok_or_else(|| ToolError::new("none"))
}

struct Shop<T>(T);

#[mcp_server]
impl<T: Clone + Send + Sync + 'static> Shop<T> {
    /// Does something.
    #[mcp_tool]
    async fn sell(&self, items: Vec<Item>, state: State<T>) -> Json<Vec<Item>> {
        Json(items)
    }

    /// Does something.
    #[mcp_tool]
    async fn buy<'a>(&'a self, items: Vec<Item>) -> Result<&'static str, ToolError> {
        Ok("bought")
    }

    /// Does something.
    #[mcp_tool]
    fn keep(self: Arc<Self>, items: Vec<Item>) -> Json<Item> {
        Json(Item::default())
    }

    #[mcp_resource(uri = "shop://{number}")]
    fn read(&self, number: Option<u8>, state: State<Arc<Item>>) -> Result<Json<Item>, ResourceError> {
        Ok(Json(Item::default()))
    }

    #[mcp_prompt]
    async fn ask(&self, #[mcp(default = None)] number: Option<std::num::NonZeroU8>, state: State<T>) -> Vec<PromptMessage> {
        Vec::new()
    }
}

macro_rules! lists {
    ($name:ident, $of:ty) => {
        /// Does something.
        #[mcp_tool]
        fn $name(list: Vec<$of>) -> Json<Vec<$of>> {
            Json(list)
        }
    };
}

lists!(list, Item);

fn main() {}
