//! What the macros make of a program: `expand/NAME.rs` becomes `expand/NAME.expanded.rs`, to be read in review.
//!
//! `UPDATE_EXPECT=1` writes the files anew.

// The macro crate exports macros only, so its rooms are built in here once more.
extern crate proc_macro;
#[path = "../mcp-macros/src/attributes.rs"]
mod attributes;
#[path = "../mcp-macros/src/block.rs"]
mod block;
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
#[path = "../mcp-macros/src/server_options.rs"]
mod server_options;
#[path = "../mcp-macros/src/signature.rs"]
mod signature;
#[path = "../mcp-macros/src/tool.rs"]
mod tool;
#[path = "../mcp-macros/src/uri_template.rs"]
mod uri_template;

use std::{env, fs, path::Path};

use proc_macro2::{TokenStream, TokenTree};
use quote::ToTokens;
use signature::Kind;
use syn::{Attribute, File, Item, Meta, visit::Visit};

#[test]
fn expansions_are_as_read_in_review() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("expand");
    let mut changed = Vec::new();
    let programs = programs();
    assert!(programs.len() >= 32, "only {} programs in {}", programs.len(), folder.display());
    for (name, program) in programs {
        let expanded = expand(&program);
        let beside = folder.join(name.replace(".rs", ".expanded.rs"));
        if fs::read_to_string(&beside).unwrap_or_default() == expanded {
            continue;
        }
        if env::var_os("UPDATE_EXPECT").is_some() {
            fs::write(beside, expanded).unwrap();
        } else {
            changed.push(format!("{name}:\n{expanded}"));
        }
    }
    assert!(changed.is_empty(), "expansions changed; run with UPDATE_EXPECT=1, and read them\n{}", changed.join("\n"));
}

#[test]
fn a_renamed_runtime_is_never_called_by_its_own_name() {
    let renamed = expand(include_str!("expand/renamed_runtime.rs"));
    assert!(!renamed.contains("mcp_runtime"), "{renamed}");
}

/// What is made beside the user's items is for nobody to read about, but for the two functions that make servers.
#[test]
fn nothing_that_is_made_is_documented() {
    for (name, program) in programs() {
        let written = items_of(syn::parse_file(&program).unwrap().items);
        let made = items_of(syn::parse_file(&expand(&program)).unwrap().items);
        for item in made.iter().filter(|item| !written.iter().any(|other| other.name == item.name)) {
            let contract = ["fn server", "fn into_server"].contains(&item.name.as_str());
            assert!(item.is_hidden || contract, "{name}: `{}`", item.name);
            let docs = item.attrs.iter().any(|attr| attr.path().is_ident("doc"));
            assert!(docs, "{name}: `{}` would want for docs", item.name);
        }
    }
}

/// Signature, visibility, attributes and body come back as they were, at their places.
#[test]
fn functions_stay_as_they_are() {
    let mut count = 0;
    for (name, program) in programs() {
        // What a module cannot have is taken off it, so that it is told once.
        if name == "refused_receiver_in_module.rs" {
            continue;
        }
        let mut written = Functions::default();
        written.visit_file(&syn::parse_file(&program).unwrap());
        let mut made = Functions::default();
        made.visit_file(&syn::parse2(expansion(&program)).unwrap());
        for function in &written.0 {
            count += 1;
            assert!(made.0.contains(function), "{name}:\n{function:#?}\n{:#?}", made.0);
        }
    }
    assert!(count > 40, "only {count} functions");
}

/// Someone types a program: after each token there is either a whole item, or a mistake is told; nothing is lost.
#[test]
fn half_typed_programs_are_given_back() {
    let mut count = 0;
    for (name, program) in programs() {
        for file in syn::parse_file(&program).unwrap().items {
            let (kind, keys, item) = taken_apart(file);
            for half in prefixes(&item) {
                let output = apply(&kind, keys.clone(), half.clone());
                check_half(&name, &half, &output);
                count += 1;
            }
            for half in prefixes(&keys) {
                let output = apply(&kind, half.clone(), item.clone());
                check_half(&name, &item, &output);
                count += 1;
            }
        }
    }
    assert!(count > 2_000, "only {count} steps");
}

/// The moments in which a key is typed: none takes the function away, and each is told or is whole.
#[test]
fn half_typed_keys_are_told() {
    let keys: [(&str, &[&str]); 5] = [
        ("mcp_tool", &tool::KEYS),
        ("mcp_resource", &resource::KEYS),
        ("mcp_prompt", &prompt::KEYS),
        ("mcp_server", &server_options::KEYS),
        ("mcp", &parameter::KEYS),
    ];
    for (attribute, keys) in keys {
        for key in keys {
            let cut = &key[..key.len() - 1];
            for (typed, complete) in [
                (format!("{key} ="), false),
                (format!("{key} = ,"), false),
                (format!("{key}, {key}"), false),
                (format!("{key} = = 1"), false),
                (format!("{key} 1"), false),
                (format!("{key}: 1"), false),
                (format!("{key} = #"), false),
                (cut.to_owned(), false),
                (format!(", {key}"), false),
                (format!("{key}("), true),
                (key.to_string(), true),
                (format!("{key},"), true),
                (format!("{key}()"), true),
                (format!("{key} = 1,"), true),
                (format!("{key} = \"a\""), true),
                (format!("{key} = [\"a\"]"), true),
                (format!("{key} = a::b"), true),
            ] {
                // An open bracket is the compiler's to refuse: no macro sees one.
                let Ok(tokens) = typed.parse::<TokenStream>() else { continue };
                let function = match attribute {
                    "mcp" => quote::quote!(
                        /** Adds. */
                        fn add(#[mcp(#tokens)] a: u8) -> String {
                            a.to_string()
                        }
                    ),
                    _ => quote::quote!(
                        /** Adds. */
                        fn add(a: u8) -> String {
                            a.to_string()
                        }
                    ),
                };
                let output = match attribute {
                    "mcp" => apply("mcp_tool", TokenStream::new(), function),
                    "mcp_server" => apply(attribute, tokens, quote::quote!(mod tools { #function })),
                    _ => apply(attribute, tokens, function),
                };
                let output = output.to_string();
                assert!(output.contains("fn add (a : u8) -> String { a . to_string () }"), "{typed}: {output}");
                assert!(complete || output.contains("compile_error"), "{attribute}({typed}): {output}");
            }
        }
    }
}

/// The programs of the folder, by name.
fn programs() -> Vec<(String, String)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("expand");
    let paths = fs::read_dir(&folder).expect("a folder").map(|entry| entry.expect("an entry").path());
    let programs = paths.map(|path| {
        let name = path.file_name().and_then(|name| name.to_str()).expect("a name").to_owned();
        (name, fs::read_to_string(&path).expect("a program"))
    });
    programs.filter(|(name, _)| name.ends_with(".rs") && !name.ends_with(".expanded.rs")).collect()
}

struct MadeItem {
    name: String,
    is_hidden: bool,
    attrs: Vec<Attribute>,
}

/// Items that others can see, those in modules and blocks too.
fn items_of(items: Vec<Item>) -> Vec<MadeItem> {
    let mut found = Vec::new();
    for item in items {
        let (name, attrs, inside) = match item {
            Item::Fn(item) => (format!("fn {}", item.sig.ident), item.attrs, Vec::new()),
            Item::Enum(item) => (format!("enum {}", item.ident), item.attrs, Vec::new()),
            Item::Struct(item) => (format!("struct {}", item.ident), item.attrs, Vec::new()),
            Item::Mod(item) => {
                (format!("mod {}", item.ident), item.attrs, item.content.map(|(_, items)| items).unwrap_or_default())
            }
            Item::Impl(item) => {
                let of = item.trait_.as_ref().map(|(path, _)| path.to_token_stream());
                let name = format!("impl {} {}", of.unwrap_or_default(), item.self_ty.to_token_stream());
                // What is in an impl of a trait is hidden with it.
                let functions =
                    item.items.into_iter().filter(|_| item.trait_.is_none()).filter_map(|item| match item {
                        syn::ImplItem::Fn(item) => Some(MadeItem {
                            name: format!("fn {}", item.sig.ident),
                            is_hidden: is_hidden(&item.attrs),
                            attrs: item.attrs,
                        }),
                        _ => None,
                    });
                found.extend(functions);
                if item.trait_.is_none() {
                    continue;
                }
                (name, item.attrs, Vec::new())
            }
            Item::Macro(_) | Item::Use(_) | Item::Type(_) | Item::Const(_) => continue,
            other => panic!("an item of another kind: {}", other.to_token_stream()),
        };
        found.push(MadeItem { name, is_hidden: is_hidden(&attrs), attrs });
        found.extend(items_of(inside));
    }
    found
}

fn is_hidden(attrs: &[Attribute]) -> bool {
    attrs.iter().any(|attr| attr.meta.to_token_stream().to_string() == "doc (hidden)")
}

/// Functions as tokens with their places, without our attributes.
#[derive(Default)]
struct Functions(Vec<Vec<String>>);

impl<'ast> Visit<'ast> for Functions {
    fn visit_item_fn(&mut self, item: &'ast syn::ItemFn) {
        self.add(&item.attrs, &item.vis, &item.sig, &item.block);
    }

    fn visit_impl_item_fn(&mut self, item: &'ast syn::ImplItemFn) {
        self.add(&item.attrs, &item.vis, &item.sig, &item.block);
    }
}

impl Functions {
    fn add(&mut self, attrs: &[Attribute], vis: &syn::Visibility, sig: &syn::Signature, body: &syn::Block) {
        let mut sig = sig.clone();
        for input in &mut sig.inputs {
            let (syn::FnArg::Typed(syn::PatType { attrs, .. }) | syn::FnArg::Receiver(syn::Receiver { attrs, .. })) =
                input;
            attrs.retain(|attr| !attr.path().is_ident("mcp") && !attr.path().is_ident("doc"));
        }
        let ours = |attr: &Attribute| {
            let written = attr.meta.to_token_stream().to_string();
            written.contains("mcp_")
                || written.starts_with("cfg_attr")
                || written == "allow (clippy :: needless_pass_by_value)"
        };
        let mut tokens = TokenStream::new();
        attrs.iter().filter(|attr| !ours(attr)).for_each(|attr| attr.to_tokens(&mut tokens));
        vis.to_tokens(&mut tokens);
        sig.to_tokens(&mut tokens);
        body.to_tokens(&mut tokens);
        let mut flat = Vec::new();
        flatten(tokens, &mut flat);
        self.0.push(flat);
    }
}

/// Each token with its place.
fn flatten(tokens: TokenStream, flat: &mut Vec<String>) {
    for tree in tokens {
        let at = tree.span().start();
        match tree {
            TokenTree::Group(group) => {
                flat.push(format!("{:?} {}:{}", group.delimiter(), at.line, at.column));
                flatten(group.stream(), flat);
            }
            tree => flat.push(format!("{tree} {}:{}", at.line, at.column)),
        }
    }
}

/// What stands there after each token that is typed, all that was opened being closed.
fn prefixes(tokens: &TokenStream) -> Vec<TokenStream> {
    let mut found = vec![TokenStream::new()];
    let mut before = Vec::new();
    for tree in tokens.clone() {
        if let TokenTree::Group(group) = &tree {
            for inside in prefixes(&group.stream()) {
                let half = proc_macro2::Group::new(group.delimiter(), inside);
                found.push(before.iter().cloned().chain([TokenTree::Group(half)]).collect());
            }
        } else {
            found.push(before.iter().cloned().chain([tree.clone()]).collect());
        }
        before.push(tree);
    }
    found
}

/// All words of what was typed are there, but for our attributes; and unless the compiler refuses it by itself, there is
/// a mistake, or Rust.
fn check_half(name: &str, half: &TokenStream, output: &TokenStream) {
    let told = output.to_string();
    let is_rust = |tokens: &TokenStream| syn::parse2::<File>(tokens.clone()).is_ok();
    assert!(told.contains("compile_error") || is_rust(output) || !is_rust(half), "{name}: {half}\n{told}");
    let (mut typed, mut given) = (Vec::new(), Vec::new());
    words(half.clone(), &mut typed);
    words(output.clone(), &mut given);
    // What is taken off so that no second mistake follows: a module's receiver with what uses it, a macro call in a block.
    let taken_off = ["refused_receiver_in_module.rs", "refused_block.rs"].contains(&name);
    for word in typed.into_iter().filter(|_| !taken_off) {
        let place = given.iter().position(|given| *given == word);
        let place = place.unwrap_or_else(|| panic!("{name}: `{word}` of `{half}` is lost in\n{told}"));
        given.swap_remove(place);
    }
}

/// The identifiers of tokens, without those of our attributes and of docs.
fn words(tokens: TokenStream, found: &mut Vec<String>) {
    let mut is_attribute = false;
    for tree in tokens {
        let was_pound = std::mem::take(&mut is_attribute);
        match tree {
            TokenTree::Group(group) => {
                let first = group.stream().into_iter().next().map(|tree| tree.to_string()).unwrap_or_default();
                let ours = ["mcp", "mcp_tool", "mcp_resource", "mcp_prompt", "doc", "cfg_attr"];
                if !(was_pound && ours.contains(&first.as_str())) {
                    words(group.stream(), found);
                }
            }
            TokenTree::Ident(ident) => found.push(ident.to_string()),
            TokenTree::Punct(punct) => is_attribute = punct.as_char() == '#',
            TokenTree::Literal(_) => {}
        }
    }
}

#[test]
fn each_key_stands_on_the_page_of_its_attribute() {
    let known = |keys: &str, program: &str| {
        let (attribute, _, item) = taken_apart(syn::parse_str(program).unwrap());
        let output = apply(&attribute, keys.parse().unwrap(), item).to_string();
        let list = output.split("known are ").nth(1).expect("a list of the known keys");
        let list = list.split('"').next().unwrap();
        list.split('`').skip(1).step_by(2).map(str::to_owned).collect::<Vec<_>>()
    };
    let check = |page: &str, keys: Vec<String>| {
        assert!(keys.len() > 5, "{keys:?}");
        for key in keys {
            assert!(page.lines().any(|line| line.starts_with("| `") && line.contains(&format!("`{key}"))), "{key}");
        }
    };
    let (tool, resource) =
        (include_str!("../mcp-macros/docs/mcp_tool.md"), include_str!("../mcp-macros/docs/mcp_resource.md"));
    check(tool, known("zzzzzz", "#[mcp_tool] fn add() {}"));
    check(resource, known("zzzzzz", "#[mcp_resource] fn add() {}"));
    check(include_str!("../mcp-macros/docs/mcp_prompt.md"), known("zzzzzz", "#[mcp_prompt] fn add() {}"));
    check(include_str!("../mcp-macros/docs/mcp_server.md"), known("zzzzzz", "#[mcp_server] mod add {}"));
    let of_parameters = known("", "#[mcp_tool] fn add(#[mcp(zzzzzz)] a: i64) {}");
    let (completed, others): (Vec<_>, Vec<_>) = of_parameters.into_iter().partition(|key| key == "complete");
    check(tool, others);
    assert!(completed.iter().all(|key| resource.contains(&format!("`{key} = function`"))), "{completed:?}");
}

/// A program with our attributes expanded, the rest as it is.
fn expand(program: &str) -> String {
    prettyplease::unparse(&syn::parse2::<File>(expansion(program)).expect("the expansion is no Rust"))
}

fn expansion(program: &str) -> TokenStream {
    let file = syn::parse_file(program).expect("the program is no Rust");
    let items = file.items.into_iter().map(|item| {
        let (attribute, keys, item) = taken_apart(item);
        apply(&attribute, keys, item)
    });
    items.collect()
}

/// Our attribute on an item, its keys, and the item without it.
fn taken_apart(mut item: Item) -> (String, TokenStream, TokenStream) {
    let attrs = match &mut item {
        Item::Fn(item) => &mut item.attrs,
        Item::Impl(item) => &mut item.attrs,
        Item::Mod(item) => &mut item.attrs,
        _ => panic!("neither a function, nor a block, nor a module"),
    };
    let (name, keys) = take_ours(attrs);
    (name, keys, item.into_token_stream())
}

fn apply(attribute: &str, keys: TokenStream, item: TokenStream) -> TokenStream {
    match attribute {
        "mcp_tool" => entry::lone(Kind::Tool, keys, item),
        "mcp_resource" => entry::lone(Kind::Resource, keys, item),
        "mcp_prompt" => entry::lone(Kind::Prompt, keys, item),
        _ => server::expand(keys, item),
    }
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
