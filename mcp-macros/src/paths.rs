//! Where generated code finds the runtime, and with which spans it names it.

use proc_macro2::{Span, TokenStream, TokenTree};
use quote::{ToTokens, quote_spanned};
use syn::{Ident, Path};

/// `::mcp_runtime::__private`, or the same below the path of `crate = …`.
pub(crate) struct Runtime(Option<Path>);

impl Runtime {
    /// The runtime under the path that the user gave, or under its own name.
    pub(crate) fn under(path: Option<&Path>) -> Self {
        Self(path.cloned())
    }

    /// Its path, all at one place, so that an error around it is told there.
    pub(crate) fn at(&self, span: Span) -> TokenStream {
        match &self.0 {
            Some(path) => {
                // The names stay where the user wrote them: one that does not exist is told there, and once.
                let path = path.to_token_stream().into_iter().enumerate().map(|(index, mut tree)| {
                    if index == 0 || !matches!(tree, TokenTree::Ident(_)) {
                        tree.set_span(tree.span().located_at(span));
                    }
                    tree
                });
                quote_spanned!(span=> #(#path)*::__private)
            }
            None => quote_spanned!(span=> ::mcp_runtime::__private),
        }
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
