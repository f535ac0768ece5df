//! `#[mcp_prompt]`: a function that makes the messages which people choose.

use proc_macro2::TokenStream;
use quote::quote_spanned;

use super::{
    call::{Scope, closure, takes},
    diagnostics::Errors,
    entry::{Words, parameters},
    options::Options,
    parameter::Parameter,
    paths::{Runtime, hygienic},
    signature::{Function, Handler, Kind},
};

pub(crate) const KEYS: [&str; 6] = ["name", "title", "description", "scopes", "icons", "crate"];

/// A prompt, checked.
pub(crate) struct Prompt {
    pub(crate) words: Words,
    handler: Handler,
    parameters: Vec<Parameter>,
}

impl Prompt {
    pub(crate) fn validate(keys: TokenStream, function: &Function) -> Result<Self, Errors> {
        let mut errors = Errors::default();
        let mut options = Options::parse("mcp_prompt", &KEYS, keys, &mut errors);
        let handler = Handler::validate(function, Kind::Prompt, &mut errors);
        let parameters = parameters(&handler, Kind::Prompt, &mut errors);
        let words = Words::validate(&mut options, Kind::Prompt, &handler, &mut errors);
        if errors.is_empty() { Ok(Self { words, handler, parameters }) } else { Err(errors) }
    }

    pub(crate) fn expand(&self, scope: Scope, runtime: &Runtime) -> TokenStream {
        let Self { words, handler, parameters } = self;
        let span = hygienic(handler.ident.span());
        let takes = takes(handler, parameters);
        let closure =
            closure(handler, parameters, &takes, |parameter| !parameter.is_completed(), false, scope, runtime);
        let (name, description) = (&words.name, words.description.iter());
        let (words, runtime) = (words.expand(span), runtime.at(span));
        quote_spanned!(span=> #runtime::Prompt::new(#name, #closure) #(.description(#description))* #words)
    }
}
