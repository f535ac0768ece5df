//! The function that stands in a table: it decodes the arguments and calls the user's function.

use proc_macro2::TokenStream;
use quote::{format_ident, quote_spanned};
use syn::{Ident, spanned::Spanned};

use super::{
    parameter::Parameter,
    paths::{Runtime, hygienic},
    signature::{Handler, Receiver},
};

/// Where the functions of an item are found.
#[derive(Clone, Copy, PartialEq)]
pub(crate) enum Scope {
    /// In an `impl` block: `Self::add`.
    Block,
    /// In a module or beside the descriptor: `add`.
    Module,
}

/// A closure that captures nothing, for a handler whose parameters are `parameters`, each had by its `takes`: a call
/// on the arguments. Clients may ask for completions of those that are `completed`.
pub(crate) fn closure(
    handler: &Handler,
    parameters: &[Parameter],
    takes: &[TokenStream],
    completed: impl Fn(&Parameter) -> bool,
    blocking: bool,
    scope: Scope,
    runtime: &Runtime,
) -> TokenStream {
    let Handler { ident, is_async, is_deprecated, receiver, inputs: _, output, docs: _ } = handler;
    let at = hygienic(ident.span());
    let locals: Vec<Ident> = (0..parameters.len()).map(|index| format_ident!("__a{index}", span = at)).collect();
    // A type that lists its values completes its argument by itself. Whether it does is asked of the value that was
    // taken, so that the type is named once.
    let suggestions = parameters.iter().zip(&locals).enumerate().filter(|(_, (parameter, _))| completed(parameter));
    let suggestions = suggestions.map(|(index, (_, local))| {
        let runtime = runtime.at(at);
        quote_spanned!(at=> __arguments.suggest(#index, #runtime::type_of(&#local).values());)
    });
    let suggestions: Vec<_> = suggestions.collect();
    let tables = parameters.iter().map(|parameter| parameter.expand(runtime, at));
    let runtime = runtime.at(at);
    let returns = method("returns", output);
    let mutable = (!takes.is_empty()).then(|| quote_spanned!(at=> mut));
    let owned = *is_async || blocking;
    let server = receiver.as_ref().map_or_else(|| quote_spanned!(at=> _), |_| quote_spanned!(at=> __server));
    let (share, passed) = match receiver {
        None => (None, None),
        Some(Receiver::Shared(ty)) => (
            Some(quote_spanned!(at=> let __server = #runtime::receive::<#ty, _>(__server);)),
            Some(quote_spanned!(at=> __server,)),
        ),
        Some(Receiver::Reference) if owned => (
            Some(quote_spanned!(at=> let __server = #runtime::Arc::clone(__server);)),
            Some(quote_spanned!(at=> &__server,)),
        ),
        Some(Receiver::Reference) => (None, Some(quote_spanned!(at=> __server,))),
    };
    let function = match scope {
        Scope::Block => quote_spanned!(at=> Self::#ident),
        Scope::Module => quote_spanned!(at=> #ident),
    };
    let call = quote_spanned!(at=> #function(#passed #(#locals),*));
    // Clients may go on using what callers in Rust should not.
    let call = match is_deprecated {
        true => quote_spanned!(at=> { #[allow(deprecated)] let __called = #call; __called }),
        false => call,
    };
    let step = match (is_async, blocking) {
        // One future around the function's own: it holds what the function borrows, and makes the result.
        (true, _) => quote_spanned!(at=> #runtime::later(async move { __returns.convert(#call.await) })),
        (false, true) => quote_spanned!(at=> __returns.blocking(move || #call)),
        (false, false) => quote_spanned!(at=> __returns.now(move || #call)),
    };
    let check = if locals.is_empty() {
        quote_spanned!(at=> if !__arguments.finish() { return __arguments.refuse(); })
    } else {
        quote_spanned! {at=>
            let (#(#runtime::Some(#locals),)* true) = (#(#locals,)* __arguments.finish()) else {
                return __arguments.refuse();
            };
        }
    };
    quote_spanned! {at=>
        |#server, mut __call| {
            let __returns = __call.#returns::<#output>();
            let #mutable __arguments = __call.arguments(const { &[#(#tables),*] });
            #(let #locals = __arguments #takes;)*
            #(#suggestions)*
            #check
            #share
            #step
        }
    }
}

/// How each parameter of a tool or a prompt is had: decoded, or by its default. One of which something is said is no
/// extractor.
pub(crate) fn takes(handler: &Handler, parameters: &[Parameter]) -> Vec<TokenStream> {
    let span = hygienic(handler.ident.span());
    let takes = handler.inputs.iter().zip(parameters).enumerate().map(|(index, (input, parameter))| {
        let ty = &input.ty;
        match &parameter.default {
            None => {
                let take = method(if parameter.said.is_some() { "argument" } else { "take" }, ty);
                quote_spanned!(span=> .#take::<#ty, _>(#index))
            }
            Some(default) => {
                let argument_or = method("argument_or", ty);
                quote_spanned!(span=> .#argument_or::<#ty, _>(#index, #default))
            }
        }
    });
    takes.collect()
}

/// The name of a method at the place of the type that it is asked for, where an error about the two is told once.
pub(crate) fn method(name: &str, ty: &impl Spanned) -> Ident {
    Ident::new(name, hygienic(ty.span()))
}
