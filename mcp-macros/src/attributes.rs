//! The attributes on a function that are ours: found, and taken off it.

use proc_macro2::{Span, TokenStream, TokenTree};
use quote::quote_spanned;
use syn::{
    Attribute, Meta, Path, Token,
    parse::{ParseStream, Parser},
    punctuated::Punctuated,
    spanned::Spanned,
};

use super::{
    diagnostics::Errors,
    signature::{Function, Kind},
};

/// One of our attributes on a function.
pub(crate) struct Use {
    pub(crate) kind: Kind,
    pub(crate) span: Span,
    pub(crate) keys: TokenStream,
    /// The predicate of a `cfg_attr`.
    pub(crate) condition: Option<TokenStream>,
}

/// Takes our attributes off a function.
pub(crate) fn kinds_of(function: &mut Function, errors: &mut Errors) -> Vec<Use> {
    let mut uses = Vec::new();
    let mut kept = Vec::new();
    for mut attr in std::mem::take(&mut function.attrs) {
        if let Some(kind) = kind_of(&attr) {
            uses.extend(use_of(kind, &attr.meta, None, errors));
            continue;
        }
        if attr.path().is_ident("cfg_attr")
            && let Meta::List(list) = &mut attr.meta
            && let Some((condition, metas)) = conditional(&list.tokens)
        {
            let (ours, others): (Vec<_>, Vec<_>) =
                metas.into_iter().partition(|meta| kind_named(meta.path()).is_some());
            for meta in &ours {
                if let Some(kind) = kind_named(meta.path()) {
                    uses.extend(use_of(kind, meta, Some(condition.clone()), errors));
                }
            }
            if !ours.is_empty() && others.is_empty() {
                continue;
            }
            if !ours.is_empty() {
                list.tokens = quote_spanned!(Span::mixed_site()=> #condition, #(#others),*);
            }
        }
        kept.push(attr);
    }
    function.attrs = kept;
    uses
}

fn use_of(kind: Kind, meta: &Meta, condition: Option<TokenStream>, errors: &mut Errors) -> Option<Use> {
    let span = meta.path().span();
    let keys = match meta {
        Meta::Path(_) => TokenStream::new(),
        Meta::List(list) => list.tokens.clone(),
        Meta::NameValue(_) => {
            let attribute = kind.attribute();
            errors
                .on(meta, format_args!("`{attribute}` takes its keys in parentheses: `#[{attribute}(name = \"…\")]`"));
            return None;
        }
    };
    Some(Use { kind, span, keys, condition })
}

pub(crate) fn kind_of(attr: &Attribute) -> Option<Kind> {
    kind_named(attr.path())
}

/// `mcp_tool`, by whatever path.
fn kind_named(path: &Path) -> Option<Kind> {
    let last = &path.segments.last()?.ident;
    Kind::ALL.into_iter().find(|kind| last == kind.attribute())
}

/// `predicate, attribute, …`
fn conditional(tokens: &TokenStream) -> Option<(TokenStream, Vec<Meta>)> {
    let parser = |input: ParseStream<'_>| {
        let mut condition = TokenStream::new();
        while !input.is_empty() && !input.peek(Token![,]) {
            condition.extend([input.parse::<TokenTree>()?]);
        }
        input.parse::<Token![,]>()?;
        let metas = Punctuated::<Meta, Token![,]>::parse_terminated(input)?;
        Ok((condition, metas.into_iter().collect()))
    };
    parser.parse2(tokens.clone()).ok()
}

/// `#[mcp(…)]` on a parameter of a function that is none of ours.
pub(crate) fn refuse_stray_mcp(function: &mut Function, errors: &mut Errors) {
    for input in &mut function.sig.inputs {
        let (syn::FnArg::Typed(syn::PatType { attrs, .. }) | syn::FnArg::Receiver(syn::Receiver { attrs, .. })) = input;
        attrs.retain(|attr| {
            let stray = attr.path().is_ident("mcp");
            if stray {
                errors.on(attr, "`#[mcp(…)]` on a function that is no tool, resource or prompt; put `#[mcp_tool]` or the like above it");
            }
            !stray
        });
    }
}
