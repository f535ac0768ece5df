//! The function that stands in a table: it decodes the arguments and calls the user's function.

use proc_macro2::{Span, TokenStream, TokenTree};
use quote::{ToTokens, format_ident, quote_spanned};
use syn::{Ident, Type, spanned::Spanned};

use super::{
    parameter::Parameter,
    paths::{Runtime, hygienic},
    signature::{Handler, Receiver, is_plain, is_told_once},
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
    let (whole_runtime, runtime) = (runtime, runtime.at(at));
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
    // Clients may go on using what callers in Rust should not.
    let allowed = |call| match is_deprecated {
        true => quote_spanned!(at=> { #[allow(deprecated)] let __called = #call; __called }),
        false => call,
    };
    let call = allowed(quote_spanned!(at=> #function(#passed #(#locals),*)));
    let said_output = is_told_once(output).then(|| format_ident!("__t", span = at));
    let signature = signature(handler, parameters, said_output.as_ref(), whole_runtime, |server, values| {
        let server = server.into_iter();
        allowed(quote_spanned!(at=> #function(#(#server,)* #(#values),*)))
    });
    let returns = match &said_output {
        Some(said) => {
            let (returns, said) = (method("returns_as", output), spread(said, output));
            quote_spanned!(at=> #returns(#said))
        }
        None => {
            let returns = method("returns", output);
            quote_spanned!(at=> #returns::<#output>())
        }
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
            #signature
            let __returns = __call.#returns;
            let #mutable __arguments = __call.arguments(const { &[#(#tables),*] });
            #(let #locals = __arguments #takes;)*
            #(#suggestions)*
            #check
            #share
            #step
        }
    }
}

/// Finds out what types hold, before it is asked what can be done with them: by a call that never runs.
fn signature(
    handler: &Handler,
    parameters: &[Parameter],
    output: Option<&Ident>,
    runtime: &Runtime,
    call: impl FnOnce(Option<TokenStream>, Vec<TokenStream>) -> TokenStream,
) -> Option<TokenStream> {
    let at = hygienic(handler.ident.span());
    let mut all = Vec::new();
    let mut values = Vec::new();
    let private = runtime.at(at);
    for (index, (input, parameter)) in handler.inputs.iter().zip(parameters).enumerate() {
        if is_said(&input.ty, parameter.default.as_ref()) {
            let said = said(index, at);
            all.push(declared(&said, &input.ty, runtime));
            let said = spread(&said, &input.ty);
            values.push(quote_spanned!(at=> #private::Said::value(#said)));
        } else {
            values.push(quote_spanned!(at=> #private::never_called()));
        }
    }
    all.extend(output.map(|said| declared(said, &handler.output, runtime)));
    if all.is_empty() {
        return None;
    }
    let server = handler.receiver.as_ref().map(|_| quote_spanned!(at=> #private::never_called()));
    let call = call(server, values);
    let call = match output {
        Some(said) => {
            let is_of = Ident::new(if handler.is_async { "is_output_of" } else { "is_of" }, at);
            let said = spread(said, &handler.output);
            quote_spanned!(at=> #private::Said::#is_of(#said, #call);)
        }
        None => quote_spanned!(at=> let _ = #call;),
    };
    Some(quote_spanned!(at=> #(#all)* if false { #call }))
}

/// How each parameter of a tool or a prompt is had: decoded, or by its default. One of which something is said is no
/// extractor.
pub(crate) fn takes(handler: &Handler, parameters: &[Parameter]) -> Vec<TokenStream> {
    let span = hygienic(handler.ident.span());
    let takes = handler.inputs.iter().zip(parameters).enumerate().map(|(index, (input, parameter))| {
        let ty = &input.ty;
        match &parameter.default {
            None => {
                let take = if parameter.said.is_some() { "argument" } else { "take" };
                taken(take, index, ty, None, None, span)
            }
            Some(default) => taken("argument_or", index, ty, None, Some(default), span),
        }
    });
    takes.collect()
}

/// The call of a method for the parameter of that index. What its type holds is not written again: the signature says it.
pub(crate) fn taken(
    name: &str,
    index: usize,
    ty: &Type,
    marker: Option<&TokenStream>,
    default: Option<&TokenStream>,
    span: Span,
) -> TokenStream {
    if is_said(ty, default) {
        let (take, said) = (method(&format!("{name}_as"), ty), spread(&said(index, span), ty));
        let marker = marker.map(|marker| quote_spanned!(span=> ::<_, #marker>));
        let default = default.into_iter();
        quote_spanned!(span=> .#take #marker (#index #(, #default)*, #said))
    } else {
        let take = method(name, ty);
        let marker = marker.map_or_else(|| quote_spanned!(span=> _), ToTokens::to_token_stream);
        let default = default.into_iter();
        quote_spanned!(span=> .#take::<#ty, #marker>(#index #(, #default)*))
    }
}

/// Whether the type of a parameter is left to the signature. Beside a default it may be no argument.
fn is_said(ty: &Type, default: Option<&TokenStream>) -> bool {
    is_told_once(ty) || default.is_some() && !is_plain(ty)
}

/// What stands for the type of the parameter of that index, until it is known.
fn said(index: usize, span: Span) -> Ident {
    format_ident!("__t{index}", span = span)
}

/// Declares what stands for a type, all of it in the user's own tokens, so that what the compiler has to say is said of
/// these alone.
fn declared(said: &Ident, ty: &Type, runtime: &Runtime) -> TokenStream {
    let (first, last) = ends(ty);
    let (said, runtime) = (moved(said, last), runtime.at(first));
    let made = quote_spanned!(last=> by_signature());
    quote_spanned!(first=> let #said = #runtime::Said::#made;)
}

/// A reference to it, which reaches over the type.
fn spread(said: &Ident, ty: &Type) -> TokenStream {
    let (first, last) = ends(ty);
    let said = moved(said, last);
    quote_spanned!(first=> &#said)
}

fn moved(ident: &Ident, span: Span) -> Ident {
    Ident::new(&ident.to_string(), span)
}

/// Where a type begins, and where it ends.
fn ends(ty: &Type) -> (Span, Span) {
    let tokens: Vec<_> = ty.to_token_stream().into_iter().collect();
    let at = |tree: Option<&TokenTree>| tree.map_or_else(Span::call_site, TokenTree::span);
    (at(tokens.first()), at(tokens.last()))
}

/// The name of a method at the place of the type that it is asked for, where an error about the two is told once.
pub(crate) fn method(name: &str, ty: &impl Spanned) -> Ident {
    Ident::new(name, hygienic(ty.span()))
}
