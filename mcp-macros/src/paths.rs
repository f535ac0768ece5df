//! Where generated code finds the runtime, and with which spans it names it.

use proc_macro2::{Span, TokenStream};
use quote::{ToTokens, quote_spanned};
use syn::{Ident, Path};

/// `::mcp_runtime::__private`, or the same below the path of `crate = …`.
#[derive(Clone)]
pub(crate) struct Runtime(TokenStream);

impl Runtime {
    /// The runtime under the path that the user gave, or under its own name.
    pub(crate) fn at(path: Option<&Path>) -> Self {
        let span = Span::mixed_site();
        Self(match path {
            Some(path) => quote_spanned!(span=> #path::__private),
            None => quote_spanned!(span=> ::mcp_runtime::__private),
        })
    }
}

impl ToTokens for Runtime {
    fn to_tokens(&self, tokens: &mut TokenStream) {
        self.0.to_tokens(tokens);
    }
}

/// The span of generated code about `user`'s token: errors point there, names do not mix with the user's.
pub(crate) fn hygienic(user: Span) -> Span {
    Span::mixed_site().located_at(user)
}

/// A type that is named like one of the user's functions or parameters: at its place, for all to find, but not in the
/// user's name, so that lints about names are not for them to heed.
pub(crate) fn namesake(user: &Ident) -> Ident {
    let mut ident = user.clone();
    ident.set_span(Span::call_site().located_at(user.span()));
    ident
}
