//! An `impl` block or an inline module as it was written, taken apart into its members.

use proc_macro2::{Delimiter, Group, Span, TokenStream, TokenTree};
use quote::ToTokens;
use syn::{
    Attribute, GenericArgument, Generics, Ident, ImplItem, Item, ItemImpl, ItemMod, Lifetime, Path, PathArguments,
    Token, Type, UseTree,
    ext::IdentExt,
    parse::{ParseStream, Parser, discouraged::Speculative},
    punctuated::Punctuated,
};

use super::{attributes::kind_of, diagnostics::Errors, signature::Function};

/// An `impl` block or an inline module as it was written.
pub(crate) struct Block {
    pub(crate) form: Form,
    /// Outer and inner attributes; for their docs.
    pub(crate) attrs: Vec<Attribute>,
    /// All that stands before the braces.
    pub(crate) header: TokenStream,
    pub(crate) braces: Group,
}

pub(crate) enum Form {
    /// The type with its generics, and whether the block implements a trait.
    Impl {
        ty: Box<Type>,
        generics: Box<Generics>,
        of_trait: Option<Path>,
    },
    Module(Ident),
}

impl Block {
    pub(crate) fn parse(item: TokenStream) -> syn::Result<Self> {
        const USAGE: &str = "`#[mcp_server]` goes on an `impl` block, or on a module with its functions inside";
        let mut trees: Vec<TokenTree> = item.clone().into_iter().collect();
        let braces = match trees.pop() {
            Some(TokenTree::Group(group)) if group.delimiter() == Delimiter::Brace => group,
            _ => {
                return Err(match syn::parse2::<ItemMod>(item) {
                    Ok(module) => syn::Error::new(
                        module.ident.span(),
                        "the functions of a module in another file cannot be seen; write them inline: `mod … { … }`, or put `#[mcp_tool]` and the like on each and register them by hand",
                    ),
                    Err(_) => syn::Error::new(Span::call_site(), USAGE),
                });
            }
        };
        let header: TokenStream = trees.into_iter().collect();
        let empty = Group::new(Delimiter::Brace, TokenStream::new());
        let shell = header.clone().into_iter().chain([TokenTree::Group(empty)]).collect::<TokenStream>();
        let (form, attrs) = match syn::parse2::<Item>(shell)? {
            Item::Impl(ItemImpl { attrs, generics, trait_, self_ty, .. }) => {
                let of_trait = trait_.map(|(path, _)| path);
                (Form::Impl { ty: self_ty, generics: Box::new(generics), of_trait }, attrs)
            }
            Item::Mod(module) => (Form::Module(module.ident), module.attrs),
            _ => return Err(syn::Error::new(Span::call_site(), USAGE)),
        };
        Ok(Self { form, attrs, header, braces })
    }

    /// Takes off another `#[mcp_server]`, which would make a second server of the same functions.
    pub(crate) fn refuse_second(&mut self, errors: &mut Errors) {
        let is_second = |attr: &Attribute| attr.path().segments.last().is_some_and(|last| last.ident == "mcp_server");
        while let Some(index) = self.attrs.iter().position(is_second) {
            let attr = self.attrs.remove(index);
            errors.on(attr.path(), "`#[mcp_server]` is given twice; put all keys into one");
            // An attribute is two trees, `#` and its brackets, and nothing stands before them.
            let place = 2 * index..2 * index + 2;
            let trees = std::mem::take(&mut self.header).into_iter().enumerate();
            self.header = trees.filter(|(at, _)| !place.contains(at)).map(|(_, tree)| tree).collect();
        }
    }

    /// Reads the members, with our attributes still on the functions.
    pub(crate) fn members(&self, errors: &mut Errors) -> Members {
        let mut members = Vec::new();
        let mut inner = Vec::new();
        let mut rest = self.braces.stream();
        let parser = |input: ParseStream<'_>| {
            inner = input.call(Attribute::parse_inner)?;
            rest = input.fork().parse()?;
            while !input.is_empty() {
                members.push(member(input, &self.form, errors)?);
            }
            Ok(())
        };
        let parsed = parser.parse2(self.braces.stream());
        let unreadable = parsed.err().map(|error| {
            errors.syntax(error);
            // A function that the compiler drops cannot be called.
            members.clear();
            rest
        });
        Members { inner, members, unreadable }
    }
}

impl Form {
    /// The name of the function that makes the server.
    pub(crate) fn maker(&self) -> &'static str {
        match self {
            Self::Impl { .. } => "into_server",
            Self::Module(_) => "server",
        }
    }

    /// What people call the block or the module.
    pub(crate) fn part(&self) -> String {
        match self {
            Self::Impl { ty, .. } => match &**ty {
                Type::Path(path) => {
                    let last = path.path.segments.last().map(|segment| segment.ident.to_string());
                    format!("`{}`", last.unwrap_or_default())
                }
                ty => format!("`{}`", ty.to_token_stream()),
            },
            Self::Module(ident) => format!("`{}`", ident.unraw()),
        }
    }

    /// A lifetime of a block's type that need not be `'static`, where it is declared.
    pub(crate) fn borrows(&self) -> Option<Lifetime> {
        match self {
            Self::Impl { ty, generics, .. } => borrowed(ty, generics),
            Self::Module(_) => None,
        }
    }
}

fn borrowed(ty: &Type, generics: &Generics) -> Option<Lifetime> {
    let is_static = |bounds: &Punctuated<Lifetime, Token![+]>| bounds.iter().any(|bound| bound.ident == "static");
    let declared = generics.lifetimes().find(|param| !is_static(&param.bounds)).map(|param| param.lifetime.clone());
    // A `where` clause may say more of it, which the compiler understands.
    let declared = declared.filter(|_| generics.where_clause.is_none());
    let anonymous = || {
        let Type::Path(path) = ty else { return None };
        path.path.segments.iter().find_map(|segment| match &segment.arguments {
            PathArguments::AngleBracketed(arguments) => arguments.args.iter().find_map(|argument| match argument {
                GenericArgument::Lifetime(lifetime) if lifetime.ident == "_" => Some(lifetime.clone()),
                _ => None,
            }),
            _ => None,
        })
    };
    declared.or_else(anonymous)
}

/// What stands in the braces.
pub(crate) struct Members {
    pub(crate) inner: Vec<Attribute>,
    pub(crate) members: Vec<Member>,
    /// The members as they were written, if they could not all be read.
    pub(crate) unreadable: Option<TokenStream>,
}

pub(crate) enum Member {
    Function(Box<Function>),
    /// Something else, and whether it is a type of the name that the macro would use.
    Other(TokenStream, bool),
}

/// One member of a block or a module.
fn member(input: ParseStream<'_>, form: &Form, errors: &mut Errors) -> syn::Result<Member> {
    let mut attrs = input.call(Attribute::parse_outer)?;
    let ahead = input.fork();
    if let Ok(function) = Function::parse_behind(attrs.clone(), &ahead) {
        input.advance_to(&ahead);
        return Ok(Member::Function(Box::new(function)));
    }
    let mut own_type = false;
    let (item, call) = match form {
        Form::Impl { .. } => {
            let item: ImplItem = input.parse()?;
            let call = if let ImplItem::Macro(item) = &item { Some(item.mac.clone()) } else { None };
            (item.into_token_stream(), call)
        }
        Form::Module(_) => {
            let item: Item = input.parse()?;
            let call = match &item {
                Item::Macro(item) if item.ident.is_none() => Some(item.mac.clone()),
                _ => None,
            };
            own_type = is_type_named(&item, "server");
            (item.into_token_stream(), call)
        }
    };
    attrs.retain(|attr| match kind_of(attr) {
        Some(kind) => {
            errors.on(attr, format_args!("`#[{}]` goes on a function with a body; move it to one", kind.attribute()));
            false
        }
        None => true,
    });
    if let Some(call) = call {
        let place = match form {
            Form::Impl { .. } => "block",
            Form::Module(_) => "module",
        };
        errors.on(
            &call.path,
            format_args!("what a macro makes here cannot be seen, so its tools would be lost; let the macro emit the whole {place}, or call it outside of the {place}"),
        );
        if place == "block" {
            // What it makes would be lone functions with receivers, and each of them a second error.
            return Ok(Member::Other(TokenStream::new(), false));
        }
    }
    Ok(Member::Other(attrs.into_iter().map(ToTokens::into_token_stream).chain([item]).collect(), own_type))
}

/// Whether an item takes that name where types have theirs.
fn is_type_named(item: &Item, name: &str) -> bool {
    match item {
        Item::Struct(item) => item.ident == name,
        Item::Enum(item) => item.ident == name,
        Item::Union(item) => item.ident == name,
        Item::Type(item) => item.ident == name,
        Item::Trait(item) => item.ident == name,
        Item::Mod(item) => item.ident == name,
        Item::Use(item) => brings(&item.tree, name),
        _ => false,
    }
}

fn brings(tree: &UseTree, name: &str) -> bool {
    match tree {
        UseTree::Path(path) => brings(&path.tree, name),
        UseTree::Name(used) => used.ident == name,
        UseTree::Rename(used) => used.rename == name,
        UseTree::Group(group) => group.items.iter().any(|tree| brings(tree, name)),
        UseTree::Glob(_) => false,
    }
}
