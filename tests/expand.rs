//! What the macros make of a program: `expand/NAME.rs` becomes `expand/NAME.expanded.rs`, to be read in review.
//!
//! `UPDATE_EXPECT=1` writes the files anew.

// The macro crate exports macros only, so its rooms are built in here once more.
extern crate proc_macro;
#[path = "../mcp-macros/src/call.rs"]
mod call;
#[path = "../mcp-macros/src/description.rs"]
mod description;
#[path = "../mcp-macros/src/diagnostics.rs"]
mod diagnostics;
#[path = "../mcp-macros/src/entry.rs"]
mod entry;
#[path = "../mcp-macros/src/fallback.rs"]
mod fallback;
#[path = "../mcp-macros/src/options.rs"]
mod options;
#[path = "../mcp-macros/src/parameter.rs"]
mod parameter;
#[path = "../mcp-macros/src/paths.rs"]
mod paths;
#[path = "../mcp-macros/src/prompt.rs"]
mod prompt;
#[path = "../mcp-macros/src/resource.rs"]
mod resource;
#[path = "../mcp-macros/src/server.rs"]
mod server;
#[path = "../mcp-macros/src/signature.rs"]
mod signature;
#[path = "../mcp-macros/src/tool.rs"]
mod tool;
#[path = "../mcp-macros/src/uri_template.rs"]
mod uri_template;

use std::{env, fs, path::Path};

use proc_macro2::TokenStream;
use quote::ToTokens;
use signature::Kind;
use syn::{Attribute, File, Item, Meta};

#[test]
fn expansions_are_as_read_in_review() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("expand");
    let mut changed = Vec::new();
    let mut count = 0;
    for entry in fs::read_dir(&folder).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_str().unwrap().to_owned();
        let Some(stem) = name.strip_suffix(".rs").filter(|stem| !stem.ends_with(".expanded")) else { continue };
        count += 1;
        let expanded = expand(&fs::read_to_string(&path).unwrap());
        let beside = folder.join(format!("{stem}.expanded.rs"));
        if fs::read_to_string(&beside).unwrap_or_default() == expanded {
            continue;
        }
        if env::var_os("UPDATE_EXPECT").is_some() {
            fs::write(beside, expanded).unwrap();
        } else {
            changed.push(format!("{name}:\n{expanded}"));
        }
    }
    assert!(count >= 10, "only {count} programs in {}", folder.display());
    assert!(changed.is_empty(), "expansions changed; run with UPDATE_EXPECT=1, and read them\n{}", changed.join("\n"));
}

#[test]
fn a_renamed_runtime_is_never_called_by_its_own_name() {
    let renamed = expand(include_str!("expand/renamed_runtime.rs"));
    assert!(!renamed.contains("mcp_runtime"), "{renamed}");
}

#[test]
fn half_typed_items_are_given_back() {
    let check = |item: &str, said: &str| {
        let item: TokenStream = item.parse().unwrap();
        for output in [
            entry::lone(Kind::Tool, TokenStream::new(), item.clone()),
            entry::lone(Kind::Tool, "name = ".parse().unwrap(), item.clone()),
        ] {
            let output = output.to_string();
            assert!(output.contains("compile_error"), "{output}");
            assert!(output.contains(said), "{output}");
            assert!(output.contains(&item.to_string()), "{output}");
        }
    };
    check("fn add(a: i64, b) -> i64 { a }", "expected");
    check("fn add(a: ) {}", "expected");
    check("fn", "expected");
    check("", "expected");
}

#[test]
fn half_typed_blocks_are_given_back() {
    let check = |block: &str| {
        let block: TokenStream = block.parse().unwrap();
        let output = server::expand(TokenStream::new(), block.clone()).to_string();
        assert!(output.contains("compile_error"), "{output}");
        for token in block {
            assert!(
                output.contains(&token.to_string()) || matches!(token, proc_macro2::TokenTree::Group(_)),
                "{output}"
            );
        }
    };
    check("impl Weather { fn forecast(&self, city) {} }");
    check("impl Weather { fn forecast() }");
    check("mod weather { fn }");
    check("impl { fn forecast() {} }");
    check("impl Weather");
}

/// A program with our attributes expanded, the rest as it is.
fn expand(program: &str) -> String {
    let file = syn::parse_file(program).expect("the program is no Rust");
    let mut tokens = TokenStream::new();
    for mut item in file.items {
        let attrs = match &mut item {
            Item::Fn(item) => &mut item.attrs,
            Item::Impl(item) => &mut item.attrs,
            Item::Mod(item) => &mut item.attrs,
            _ => panic!("neither a function, nor a block, nor a module"),
        };
        let (name, keys) = take_ours(attrs);
        let item = item.into_token_stream();
        tokens.extend(match name.as_str() {
            "mcp_tool" => entry::lone(Kind::Tool, keys, item),
            "mcp_resource" => entry::lone(Kind::Resource, keys, item),
            "mcp_prompt" => entry::lone(Kind::Prompt, keys, item),
            _ => server::expand(keys, item),
        });
    }
    prettyplease::unparse(&syn::parse2::<File>(tokens).expect("the expansion is no Rust"))
}

fn take_ours(attrs: &mut Vec<Attribute>) -> (String, TokenStream) {
    let ours = attrs
        .iter()
        .position(|attr| attr.path().to_token_stream().to_string().starts_with("mcp_"))
        .expect("nothing to expand");
    let attr = attrs.remove(ours);
    let keys = match &attr.meta {
        Meta::List(list) => list.tokens.clone(),
        _ => TokenStream::new(),
    };
    (attr.path().to_token_stream().to_string(), keys)
}
