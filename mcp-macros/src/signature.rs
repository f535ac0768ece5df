//! A function as it was written, and what of it matters to a handler; shared by all four attributes.

use proc_macro2::{Delimiter, Group, Span, TokenStream, TokenTree};
use quote::{ToTokens, quote_spanned};
use syn::{
    Attribute, FnArg, GenericArgument, GenericParam, Ident, Lifetime, Meta, Pat, PathArguments, ReceiverKind,
    ReturnType, Safety, Signature, Token, Type, Visibility,
    parse::{Parse, ParseStream},
};

use super::{
    description::Text,
    diagnostics::{Errors, nearest},
    paths::hygienic,
};

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
        for input in &mut self.sig.inputs {
            let documents = matches!(input, FnArg::Typed(_));
            let (FnArg::Typed(syn::PatType { attrs, .. }) | FnArg::Receiver(syn::Receiver { attrs, .. })) = input;
            let taken = |attr: &Attribute| {
                attr.path().is_ident("mcp") || documents && attr.path().is_ident("doc") || foreign(attr).is_some()
            };
            let (taken, mut kept): (_, Vec<_>) = std::mem::take(attrs).into_iter().partition(taken);
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
        self.empty();
        true
    }

    /// Refuses `Self` in the signature of a free function; what uses it goes, too.
    pub(crate) fn refuse_self_type(&mut self, errors: &mut Errors) -> bool {
        let mut first = None;
        for (ty, _) in types(&mut self.sig) {
            if let Some(span) = find(ty.to_token_stream(), "Self") {
                first.get_or_insert(span);
                *ty = syn::parse_quote!(());
            }
        }
        let Some(span) = first else { return false };
        errors.at(
            span,
            "a free function has no `Self`; write the type's name, or put `#[mcp_server]` on the `impl` block of this function",
        );
        self.strip();
        self.empty();
        true
    }

    /// Writes a signature that was refused so that the compiler has nothing to add: of lifetimes that nobody declared, and
    /// of types that have no values, or values of no known size. All else stays, for whoever is still writing it.
    pub(crate) fn mend(&mut self) {
        let is_free = self.sig.generics.params.is_empty() && self.sig.receiver().is_none();
        let lent = types(&mut self.sig)
            .filter(|(_, place)| *place == Place::Parameter)
            .map(|(ty, _)| lifetimes(ty.to_token_stream()).count())
            .sum::<usize>();
        let mut mended = false;
        for (ty, place) in types(&mut self.sig) {
            let Some((_, fault)) = fault_of_whole(ty, place) else { continue };
            let is_named = |lifetime: Option<Ident>| lifetime.is_some_and(|it| it != "_" && it != "static");
            let is_lost = place == Place::Result && lent != 1;
            let instead = match fault {
                Fault::Borrowed(_) if is_free && (is_lost || lifetimes(ty.to_token_stream()).any(is_named)) => {
                    let lifetime = if place == Place::Result { "'static" } else { "'_" };
                    let lifetime = Lifetime::new(lifetime, Span::mixed_site());
                    syn::parse2(with_lifetime(ty.to_token_stream(), &lifetime)).ok()
                }
                Fault::Unsized(_) | Fault::Object if unsized_fault(ty).is_none() => Some(syn::parse_quote!(())),
                Fault::Unsized(_) | Fault::Object => Some(syn::parse_quote!(::std::boxed::Box<#ty>)),
                Fault::Never if place == Place::Parameter => Some(syn::parse_quote!(())),
                _ => None,
            };
            if let Some(instead) = instead {
                *ty = instead;
                mended = true;
            }
        }
        if mended {
            self.empty();
        }
    }

    /// Takes the body away, with all that the compiler has to say about it.
    fn empty(&mut self) {
        let span = hygienic(self.sig.ident.span());
        self.attrs.push(syn::parse_quote_spanned!(span=> #[allow(unused_variables, unused_mut)]));
        self.body = syn::parse_quote_spanned!(span=> { ::core::unreachable!() });
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

/// The types in a signature, and where they stand.
fn types(sig: &mut Signature) -> impl Iterator<Item = (&mut Type, Place)> {
    let result = match &mut sig.output {
        ReturnType::Type(_, ty) => Some((&mut **ty, Place::Result)),
        ReturnType::Default => None,
    };
    let parameters = sig.inputs.iter_mut().filter_map(|input| match input {
        FnArg::Typed(input) => Some((&mut *input.ty, Place::Parameter)),
        FnArg::Receiver(_) => None,
    });
    parameters.chain(result)
}

/// Where a name stands in tokens.
fn find(tokens: TokenStream, name: &str) -> Option<Span> {
    tokens.into_iter().find_map(|tree| match tree {
        TokenTree::Ident(ident) if ident == name => Some(ident.span()),
        TokenTree::Group(group) => find(group.stream(), name),
        _ => None,
    })
}

/// The lifetimes in the tokens of a type, those that are not named too.
fn lifetimes(tokens: TokenStream) -> impl Iterator<Item = Option<Ident>> {
    let mut found = Vec::new();
    let mut tokens = tokens.into_iter().peekable();
    while let Some(tree) = tokens.next() {
        match &tree {
            TokenTree::Punct(punct) if punct.as_char() == '\'' => {
                if let Some(TokenTree::Ident(name)) = tokens.next() {
                    found.push(Some(name));
                }
            }
            TokenTree::Punct(punct) if punct.as_char() == '&' && !tokens.peek().is_some_and(is_quote) => {
                found.push(None);
            }
            TokenTree::Group(group) => found.extend(lifetimes(group.stream())),
            _ => {}
        }
    }
    found.into_iter()
}

fn is_quote(tree: &TokenTree) -> bool {
    matches!(tree, TokenTree::Punct(punct) if punct.as_char() == '\'')
}

/// Tokens of a type, where all that is borrowed is so for this lifetime.
fn with_lifetime(tokens: TokenStream, lifetime: &Lifetime) -> TokenStream {
    let mut written = TokenStream::new();
    let mut tokens = tokens.into_iter().peekable();
    while let Some(tree) = tokens.next() {
        match tree {
            tree if is_quote(&tree) => {
                tokens.next();
                lifetime.to_tokens(&mut written);
            }
            TokenTree::Punct(and) if and.as_char() == '&' => {
                and.to_tokens(&mut written);
                if !tokens.peek().is_some_and(is_quote) {
                    lifetime.to_tokens(&mut written);
                }
            }
            TokenTree::Group(group) => {
                Group::new(group.delimiter(), with_lifetime(group.stream(), lifetime)).to_tokens(&mut written);
            }
            tree => tree.to_tokens(&mut written),
        }
    }
    written
}

/// An attribute that says something of a parameter in the words of another macro, and what is to be said of it.
fn foreign(attr: &Attribute) -> Option<String> {
    let name = attr.path().get_ident()?.to_string();
    match name.as_str() {
        "mcp" | "doc" | "cfg" => None,
        "serde" | "schemars" => Some(format!(
            "`#[{name}]` speaks of the fields of a type; what is said of a parameter stands in `#[mcp(…)]`, such as `#[mcp(default)]`"
        )),
        "mcp_tool" | "mcp_resource" | "mcp_prompt" | "mcp_server" => {
            Some(format!("`#[{name}]` goes on a function; what is said of a parameter stands in `#[mcp(…)]`"))
        }
        _ => nearest(&name, &["mcp"]).map(|near| format!("unknown attribute `{name}`; did you mean `#[{near}(…)]`?")),
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
    pub(crate) output: Type,
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
                FnArg::Receiver(input) => {
                    for attr in attrs {
                        errors.on(attr, "`#[mcp(…)]` speaks of an argument, and `self` is the server; remove it");
                    }
                    receiver = Receiver::validate(input, errors);
                }
                FnArg::Typed(input) => {
                    for (attr, message) in attrs.iter().filter_map(|attr| Some((attr, foreign(attr)?))) {
                        errors.on(attr.path(), message);
                    }
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
                (**ty).clone()
            }
            ReturnType::Default => syn::parse_quote_spanned!(hygienic(sig.ident.span())=> ()),
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
    let Some((at, fault)) = fault_of_whole(ty, place) else {
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
        (Fault::Unsized(owned), Place::Parameter) => {
            format!("a value of this type has no size that is known, so it cannot be taken; take `{owned}`")
        }
        (Fault::Unsized(owned), Place::Result) => {
            format!("a value of this type has no size that is known, so it cannot be returned; return `{owned}`")
        }
        (Fault::Object, Place::Parameter) => "`dyn Trait` leaves open which type to decode; write a type".to_owned(),
        (Fault::Object, Place::Result) => "`dyn Trait` hides what the result is; write its type".to_owned(),
        (Fault::Never, Place::Parameter) => {
            "the type `!` has no values, so the function could never be called; take one that has some".to_owned()
        }
        (Fault::Never, Place::Result) => {
            "a function that never returns has no result; let it return one, such as `()`".to_owned()
        }
    };
    errors.on(at, message);
}

enum Fault {
    /// A borrow, and the owned type to take instead.
    Borrowed(Option<String>),
    Impl,
    Never,
    /// By value, and what to take or return instead.
    Unsized(String),
    Object,
}

/// What is wrong with the type of a parameter or a result.
fn fault_of_whole(ty: &Type, place: Place) -> Option<(TokenStream, Fault)> {
    let fault = unsized_fault(ty).map(|fault| (ty.to_token_stream(), fault));
    fault.or_else(|| fault_of(ty, place == Place::Parameter))
}

/// What is wrong with a type of which there are no values by themselves.
fn unsized_fault(ty: &Type) -> Option<Fault> {
    match ty {
        Type::Path(path) if path.path.is_ident("str") => Some(Fault::Unsized("String".to_owned())),
        Type::Slice(slice) => Some(Fault::Unsized(format!("Vec<{}>", written(&slice.elem)))),
        Type::TraitObject(_) => Some(Fault::Object),
        _ => None,
    }
}

/// Types that hold values by themselves, not behind a pointer.
const PLAIN_HOLDERS: [&str; 9] =
    ["Vec", "VecDeque", "Option", "HashMap", "BTreeMap", "HashSet", "BTreeSet", "BinaryHeap", "Result"];

/// Types that are decoded with what they hold. Others may be extractors, and hold what lives as long as the program.
const HOLDERS: [&str; 11] =
    ["Vec", "VecDeque", "Option", "Box", "Rc", "Arc", "HashMap", "BTreeMap", "HashSet", "BTreeSet", "BinaryHeap"];

/// Whether a type may hold a name that does not exist, or not hold what it should. The compiler's words for that differ
/// from place to place, so that a second mention of the type would be a second error.
pub(crate) fn is_told_once(ty: &Type) -> bool {
    const OTHERS: [&str; 4] = ["Json", "State", "Claims", "Result"];
    let Type::Path(path) = ty else { return false };
    path.path.segments.iter().any(|segment| match &segment.arguments {
        PathArguments::AngleBracketed(arguments) => {
            let of_two = ["Result", "HashMap", "BTreeMap"].iter().any(|it| segment.ident == it);
            let is_short = arguments.args.len() < if of_two { 2 } else { 1 };
            is_short || arguments.args.iter().any(|it| matches!(it, GenericArgument::Type(ty) if !is_plain(ty)))
        }
        PathArguments::None => HOLDERS.iter().chain(&OTHERS).any(|it| segment.ident == it),
        PathArguments::Parenthesized(_) => false,
    })
}

/// Whether a type is one of the language's own.
pub(crate) fn is_plain(ty: &Type) -> bool {
    const PLAIN: [&str; 17] = [
        "i8", "i16", "i32", "i64", "i128", "isize", "u8", "u16", "u32", "u64", "u128", "usize", "f32", "f64", "bool",
        "char", "String",
    ];
    matches!(ty, Type::Path(path) if PLAIN.iter().any(|it| path.path.is_ident(it)))
        || matches!(ty, Type::Tuple(tuple) if tuple.elems.is_empty())
}

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
                GenericArgument::Type(ty) if PLAIN_HOLDERS.iter().any(|it| segment.ident == it) => {
                    let refuse_static = refuse_static && HOLDERS.iter().any(|it| segment.ident == it);
                    let fault = unsized_fault(ty).map(|fault| (ty.to_token_stream(), fault));
                    fault.or_else(|| fault_of(ty, refuse_static))
                }
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
