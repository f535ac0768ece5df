//! A function as it was written, and what of it matters to a handler; shared by all four attributes.

use proc_macro2::{Delimiter, Span, TokenStream, TokenTree};
use quote::{ToTokens, quote_spanned};
use syn::{
    Attribute, FnArg, GenericArgument, GenericParam, Ident, Lifetime, Meta, Pat, PathArguments, ReceiverKind,
    ReturnType, Safety, Signature, Token, Type, Visibility,
    parse::{Parse, ParseStream},
};

use super::{description::Text, diagnostics::Errors, paths::hygienic};

/// Which of the three a function is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Tool,
    Resource,
    Prompt,
}

impl Kind {
    pub(crate) const ALL: [Self; 3] = [Self::Tool, Self::Resource, Self::Prompt];

    pub(crate) fn noun(self) -> &'static str {
        match self {
            Self::Tool => "tool",
            Self::Resource => "resource",
            Self::Prompt => "prompt",
        }
    }

    pub(crate) fn attribute(self) -> &'static str {
        match self {
            Self::Tool => "mcp_tool",
            Self::Resource => "mcp_resource",
            Self::Prompt => "mcp_prompt",
        }
    }
}

/// A function as it was written. Its body is not looked into.
pub(crate) struct Function {
    pub(crate) attrs: Vec<Attribute>,
    pub(crate) vis: Visibility,
    pub(crate) defaultness: Option<Token![default]>,
    pub(crate) sig: Signature,
    pub(crate) body: TokenTree,
    /// What the parameters carried, taken off by [`Function::strip`].
    parameter_attrs: Vec<Vec<Attribute>>,
    /// `#[mcp(…)]` on the function itself, taken off likewise.
    stray_attrs: Vec<Attribute>,
}

impl Parse for Function {
    fn parse(input: ParseStream<'_>) -> syn::Result<Self> {
        let attrs = input.call(Attribute::parse_outer)?;
        Self::parse_behind(attrs, input)
    }
}

impl Function {
    /// Reads what stands behind the attributes.
    pub(crate) fn parse_behind(attrs: Vec<Attribute>, input: ParseStream<'_>) -> syn::Result<Self> {
        let vis = input.parse()?;
        let defaultness = input.parse()?;
        let sig = input.parse()?;
        let body = match input.parse()? {
            TokenTree::Group(group) if group.delimiter() == Delimiter::Brace => TokenTree::Group(group),
            other => {
                return Err(syn::Error::new(other.span(), "expected the body of the function: `{ … }`"));
            }
        };
        Ok(Self { attrs, vis, defaultness, sig, body, parameter_attrs: Vec::new(), stray_attrs: Vec::new() })
    }

    /// Takes off the parameters what only the macros understand, and owns up to what the macros ask for: arguments
    /// that are taken by value.
    pub(crate) fn strip(&mut self) {
        self.stray_attrs.extend(self.attrs.extract_if(.., |attr| attr.path().is_ident("mcp")));
        if !self.parameter_attrs.is_empty() {
            return;
        }
        if self.sig.inputs.iter().any(|input| matches!(input, FnArg::Typed(_))) {
            let span = hygienic(self.sig.ident.span());
            self.attrs.push(syn::parse_quote_spanned!(span=> #[allow(clippy::needless_pass_by_value)]));
        }
        let inert = |attr: &Attribute| attr.path().is_ident("mcp") || attr.path().is_ident("doc");
        for input in &mut self.sig.inputs {
            let (FnArg::Typed(syn::PatType { attrs, .. }) | FnArg::Receiver(syn::Receiver { attrs, .. })) = input;
            let (taken, mut kept): (_, Vec<_>) = std::mem::take(attrs).into_iter().partition(inert);
            kept.iter_mut().for_each(disarm);
            *attrs = kept;
            self.parameter_attrs.push(taken);
        }
    }

    /// Refuses the receiver of a free function; what uses it goes, too, so that nothing more is said about it.
    pub(crate) fn refuse_receiver(&mut self, errors: &mut Errors) -> bool {
        let Some(receiver) = self.sig.receiver() else { return false };
        errors.on(
            receiver,
            "a function in a module has no `self`; put `#[mcp_server]` on an `impl` block, or take the state as `State<T>`",
        );
        self.strip();
        self.sig.inputs = std::mem::take(&mut self.sig.inputs).into_iter().skip(1).collect();
        let span = hygienic(self.sig.ident.span());
        self.attrs.push(syn::parse_quote_spanned!(span=> #[allow(unused_variables)]));
        self.body = syn::parse_quote_spanned!(span=> { ::core::unreachable!() });
        true
    }

    /// `#[cfg(…)]`, which everything about the function has to share.
    pub(crate) fn cfgs(&self) -> Vec<Attribute> {
        self.attrs.iter().filter(|attr| attr.path().is_ident("cfg")).cloned().collect()
    }
}

impl ToTokens for Function {
    fn to_tokens(&self, tokens: &mut TokenStream) {
        let Self { attrs, vis, defaultness, sig, body, parameter_attrs: _, stray_attrs: _ } = self;
        for attr in attrs {
            attr.to_tokens(tokens);
        }
        vis.to_tokens(tokens);
        defaultness.to_tokens(tokens);
        sig.to_tokens(tokens);
        body.to_tokens(tokens);
    }
}

/// What of a function's signature matters to a handler, checked.
pub(crate) struct Handler {
    pub(crate) ident: Ident,
    pub(crate) is_async: bool,
    pub(crate) is_deprecated: bool,
    pub(crate) receiver: Option<Receiver>,
    pub(crate) inputs: Vec<Input>,
    /// The return type.
    pub(crate) output: TokenStream,
    pub(crate) docs: Option<Text>,
}

/// How a method takes its server.
pub(crate) enum Receiver {
    /// `&self`, `self: &Arc<Self>`
    Reference,
    /// `self: Arc<Self>`: the type
    Shared(Box<Type>),
}

/// One parameter, receivers excepted.
pub(crate) struct Input {
    pub(crate) ident: Ident,
    pub(crate) ty: Type,
    /// Its `#[mcp(…)]` and doc comments.
    pub(crate) attrs: Vec<Attribute>,
}

impl Handler {
    /// Checks that calls from outside can be turned into calls of the function.
    pub(crate) fn validate(function: &Function, kind: Kind, errors: &mut Errors) -> Self {
        let sig = &function.sig;
        for attr in &function.stray_attrs {
            let attribute = kind.attribute();
            errors.on(
                attr,
                format_args!(
                    "`#[mcp(…)]` goes on a parameter; what it says of the function goes into `#[{attribute}(…)]`"
                ),
            );
        }
        check_qualifiers(sig, kind, errors);
        let generic = check_generics(sig, kind, errors);
        let mut receiver = None;
        let mut inputs = Vec::new();
        for (input, attrs) in sig.inputs.iter().zip(&function.parameter_attrs) {
            match input {
                FnArg::Receiver(input) => receiver = Receiver::validate(input, errors),
                FnArg::Typed(input) => {
                    if !generic {
                        check_type(&input.ty, Place::Parameter, errors);
                    }
                    for attr in input.attrs.iter().filter(|attr| is_conditional(attr)) {
                        errors.on(attr, "a parameter cannot come and go; write one function for each condition, with `#[cfg(…)]` on each");
                    }
                    if let Some(ident) = name_of(&input.pat, errors) {
                        inputs.push(Input { ident, ty: (*input.ty).clone(), attrs: attrs.clone() });
                    }
                }
            }
        }
        let output = match &sig.output {
            ReturnType::Type(_, ty) => {
                if !generic {
                    check_type(ty, Place::Result, errors);
                }
                ty.to_token_stream()
            }
            ReturnType::Default => quote_spanned!(hygienic(sig.ident.span())=> ()),
        };
        Self {
            ident: sig.ident.clone(),
            is_async: sig.asyncness.is_some(),
            is_deprecated: function.attrs.iter().any(|attr| attr.path().is_ident("deprecated")),
            receiver,
            inputs,
            output,
            docs: Text::from_docs(&function.attrs),
        }
    }
}

impl Receiver {
    fn validate(receiver: &syn::Receiver, errors: &mut Errors) -> Option<Self> {
        const WHY: &str = "many calls run at the same time on one server";
        match &receiver.kind {
            ReceiverKind::Reference(_, _, None) => Some(Self::Reference),
            ReceiverKind::Typed(_, ty) => match &**ty {
                Type::Reference(reference) if reference.mutability.is_none() => Some(Self::Reference),
                Type::Reference(reference) => {
                    errors.on(reference, mutable(WHY));
                    None
                }
                ty => Some(Self::Shared(Box::new(ty.clone()))),
            },
            ReceiverKind::Reference(..) => {
                errors.on(receiver, mutable(WHY));
                None
            }
            _ => {
                errors.on(
                    receiver,
                    format_args!("`self` would use the server up, and {WHY}; take `&self` or `self: Arc<Self>`"),
                );
                None
            }
        }
    }
}

fn mutable(why: &str) -> String {
    format!("`&mut self` cannot be had: {why}; take `&self`, and put what changes into a `Mutex` or an atomic")
}

fn check_qualifiers(sig: &Signature, kind: Kind, errors: &mut Errors) {
    let noun = kind.noun();
    if let Safety::Unsafe(token) = &sig.safety {
        errors.on(
            token,
            format_args!("a {noun} cannot be `unsafe`: any client calls it with anything; wrap it in a safe function"),
        );
    }
    if let Some(abi) = &sig.abi {
        errors.on(abi, format_args!("a {noun} is a plain Rust function; remove the ABI"));
    }
    if let Some(variadic) = &sig.variadic {
        errors.on(variadic, format_args!("a {noun} has a fixed number of parameters; take a `Vec` instead"));
    }
}

/// Whether the function is generic, which is said at the list.
fn check_generics(sig: &Signature, kind: Kind, errors: &mut Errors) -> bool {
    let generics = &sig.generics;
    if generics.params.is_empty() {
        return false;
    }
    let noun = kind.noun();
    let lifetimes = generics.params.iter().map(|param| match param {
        GenericParam::Lifetime(param) => Some(&param.lifetime),
        _ => None,
    });
    let lifetimes: Option<Vec<_>> = lifetimes.collect();
    let only_lifetimes = lifetimes.is_some();
    let receiver = sig.receiver().map(ToTokens::to_token_stream).unwrap_or_default();
    if lifetimes.iter().flatten().all(|lifetime| mentions(receiver.clone(), lifetime))
        && only_lifetimes
        && !sig.inputs.iter().any(|input| match input {
            FnArg::Typed(input) => {
                lifetimes.iter().flatten().any(|lifetime| mentions(input.ty.to_token_stream(), lifetime))
            }
            FnArg::Receiver(_) => false,
        })
    {
        // How long the server is borrowed is for the call to say.
        return false;
    }
    if only_lifetimes {
        errors.on(generics, format_args!("a {noun} cannot borrow from its caller: arguments come from the wire; take owned types, such as `String`"));
    } else {
        errors.on(
            generics,
            format_args!(
                "a {noun} cannot be generic: clients see one schema, and no caller chooses the types; write them out"
            ),
        );
    }
    true
}

fn mentions(tokens: TokenStream, lifetime: &Lifetime) -> bool {
    let mut quoted = false;
    tokens.into_iter().any(|tree| {
        let is_lifetime = quoted && matches!(&tree, TokenTree::Ident(ident) if *ident == lifetime.ident);
        quoted = matches!(&tree, TokenTree::Punct(punct) if punct.as_char() == '\'');
        is_lifetime || matches!(tree, TokenTree::Group(group) if mentions(group.stream(), lifetime))
    })
}

/// Takes `mcp(…)` out of a `cfg_attr`, which is refused: nothing more is said about it then.
fn disarm(attr: &mut Attribute) {
    let Meta::List(list) = &mut attr.meta else { return };
    let is_ours = |token: &TokenTree| matches!(token, TokenTree::Ident(ident) if ident == "mcp" || ident == "doc");
    if !list.path.is_ident("cfg_attr") || !list.tokens.clone().into_iter().any(|token| is_ours(&token)) {
        return;
    }
    let is_comma = |token: &TokenTree| matches!(token, TokenTree::Punct(punct) if punct.as_char() == ',');
    let predicate: TokenStream = list.tokens.clone().into_iter().take_while(|token| !is_comma(token)).collect();
    list.tokens = quote_spanned!(Span::mixed_site()=> #predicate, allow(unused_variables));
}

fn is_conditional(attr: &Attribute) -> bool {
    attr.path().is_ident("cfg") || attr.path().is_ident("cfg_attr")
}

fn name_of(pat: &Pat, errors: &mut Errors) -> Option<Ident> {
    match pat {
        Pat::Ident(pat) if pat.subpat.is_none() && pat.by_ref.is_none() => Some(pat.ident.clone()),
        Pat::Wild(pat) => {
            errors.on(pat, "a parameter needs a name; write it, with an underscore before it if it is not used");
            None
        }
        pat => {
            errors
                .on(pat, "a parameter needs a name, not a pattern; name it, and take it apart in the body with `let`");
            None
        }
    }
}

#[derive(Clone, Copy, PartialEq)]
enum Place {
    Parameter,
    Result,
}

/// Refuses what cannot be named outside of the signature: borrows and `impl Trait`.
fn check_type(ty: &Type, place: Place, errors: &mut Errors) {
    let Some((at, fault)) = fault_of(ty, place == Place::Parameter) else {
        return;
    };
    let message = match (fault, place) {
        (Fault::Borrowed(Some(owned)), Place::Parameter) if is_extractor(ty) => {
            format!("what comes from the context of a call is taken by value; take `{owned}`")
        }
        (Fault::Borrowed(Some(owned)), Place::Parameter) => {
            format!("an argument comes from the wire and cannot be borrowed; take `{owned}`")
        }
        (Fault::Borrowed(None), Place::Parameter) => {
            "an argument comes from the wire and cannot be borrowed; take the owned type, without the lifetime"
                .to_owned()
        }
        (Fault::Borrowed(_), Place::Result) => {
            "a result outlives the call and cannot be borrowed; return an owned value, or `&'static`".to_owned()
        }
        (Fault::Impl, Place::Parameter) => "`impl Trait` leaves open which type to decode; write a type".to_owned(),
        (Fault::Impl, Place::Result) => {
            "`impl Trait` hides what the result is; write its type (and `async fn` for a future)".to_owned()
        }
        (Fault::Never, _) => "a function that never returns has no result; let it return one, such as `()`".to_owned(),
    };
    errors.on(at, message);
}

enum Fault {
    /// A borrow, and the owned type to take instead.
    Borrowed(Option<String>),
    Impl,
    Never,
}

/// Types that are decoded with what they hold. Others may be extractors, and hold what lives as long as the program.
const HOLDERS: [&str; 11] =
    ["Vec", "VecDeque", "Option", "Box", "Rc", "Arc", "HashMap", "BTreeMap", "HashSet", "BTreeSet", "BinaryHeap"];

/// What is wrong with a type, and where in it; a `'static` borrow, too, where the type is to be decoded.
fn fault_of(ty: &Type, refuse_static: bool) -> Option<(TokenStream, Fault)> {
    let whole = || ty.to_token_stream();
    match ty {
        Type::Reference(reference) => {
            let is_static = reference.lifetime.as_ref().is_some_and(|lifetime| lifetime.ident == "static");
            (refuse_static || !is_static).then(|| (whole(), Fault::Borrowed(owned(&reference.elem))))
        }
        Type::ImplTrait(_) => Some((whole(), Fault::Impl)),
        Type::Never(_) => Some((whole(), Fault::Never)),
        Type::Array(array) => fault_of(&array.elem, refuse_static),
        Type::Slice(slice) => fault_of(&slice.elem, refuse_static),
        Type::Group(group) => fault_of(&group.elem, refuse_static),
        Type::Paren(paren) => fault_of(&paren.elem, refuse_static),
        Type::Tuple(tuple) => tuple.elems.iter().find_map(|elem| fault_of(elem, refuse_static)),
        Type::Path(path) => path.path.segments.iter().find_map(|segment| match &segment.arguments {
            PathArguments::AngleBracketed(arguments) => arguments.args.iter().find_map(|argument| match argument {
                GenericArgument::Type(Type::Never(_)) => None,
                GenericArgument::Type(ty) => {
                    fault_of(ty, refuse_static && HOLDERS.iter().any(|it| segment.ident == it))
                }
                GenericArgument::Lifetime(lifetime) if lifetime.ident != "static" => {
                    Some((whole(), Fault::Borrowed(None)))
                }
                _ => None,
            }),
            _ => None,
        }),
        _ => None,
    }
}

/// Whether a type is a borrowed one whose name is that of an extractor: it was refused before, and only the reason differs.
fn is_extractor(ty: &Type) -> bool {
    const EXTRACTORS: [&str; 5] = ["Context", "State", "Handle", "Principal", "Claims"];
    let Type::Reference(reference) = ty else { return false };
    let Type::Path(path) = &*reference.elem else { return false };
    path.path.segments.last().is_some_and(|last| EXTRACTORS.iter().any(|it| last.ident == it))
}

/// The type to take in place of a borrowed one.
fn owned(ty: &Type) -> Option<String> {
    match ty {
        Type::Path(path) if path.path.is_ident("str") => Some("String".to_owned()),
        Type::Slice(slice) => Some(format!("Vec<{}>", written(&slice.elem))),
        Type::Path(_) | Type::Tuple(_) | Type::Array(_) => Some(written(ty)),
        _ => None,
    }
}

/// Tokens as a person would write them, near enough.
pub(crate) fn written(tokens: &impl ToTokens) -> String {
    tokens
        .to_token_stream()
        .to_string()
        .replace("- ", "-")
        .replace(" < ", "<")
        .replace(" >", ">")
        .replace(" :: ", "::")
        .replace(" ,", ",")
}
