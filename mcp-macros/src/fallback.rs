//! What is given back beside mistakes: the user's item without our inert attributes, and what others refer to, so that
//! no second error follows from the first.

use proc_macro2::{Span, TokenStream};
use quote::quote_spanned;

use super::{
    diagnostics::Errors,
    entry::descriptor,
    options::Options,
    paths::{Runtime, hygienic},
    signature::{Function, Kind},
};

/// A lone function with mistakes: itself, and a descriptor that says nothing.
pub(crate) fn lone(kind: Kind, keys: TokenStream, function: &Function, errors: Errors) -> TokenStream {
    // Mistakes in the keys are told already; what counts is a `crate` that can be read.
    let unheeded = &mut Errors::default();
    let path = Options::parse(kind.attribute(), &["crate"], keys, unheeded).krate(unheeded);
    let runtime = Runtime::under(path.as_ref());
    let span = hygienic(function.sig.ident.span());
    let private = runtime.at(span);
    let undescribed = quote_spanned!(span=> |_, _| #private::Step::Described);
    let entry = match kind {
        Kind::Tool => quote_spanned!(span=> #private::Tool::new("", "", #undescribed)),
        Kind::Resource => quote_spanned!(span=> #private::Resource::new("", &[], "", #undescribed)),
        Kind::Prompt => quote_spanned!(span=> #private::Prompt::new("", #undescribed)),
    };
    let descriptor = descriptor(kind, function, &runtime, &entry);
    let errors = errors.into_tokens();
    quote_spanned!(span=> #errors #function #descriptor)
}

/// An item that is no function, or cannot be read.
pub(crate) fn no_function(kind: Kind, item: &TokenStream, error: syn::Error) -> TokenStream {
    let attribute = kind.attribute();
    let mut errors = Errors::default();
    if syn::parse2::<syn::TraitItemFn>(item.clone()).is_ok() {
        errors.at(
            Span::call_site(),
            format_args!("`#[{attribute}]` goes on a function with a body; put it where the function is written out"),
        );
    } else if syn::parse2::<syn::Item>(item.clone()).is_ok() {
        let remedy = match syn::parse2::<syn::Item>(item.clone()) {
            Ok(syn::Item::Impl(_) | syn::Item::Mod(_)) => "; `#[mcp_server]` goes on blocks and modules",
            _ => "; move it to one",
        };
        errors.at(Span::call_site(), format_args!("`#[{attribute}]` goes on a function{remedy}"));
    } else {
        errors.syntax(error);
    }
    let errors = errors.into_tokens();
    quote_spanned!(Span::mixed_site()=> #errors #item)
}
