//! What a server has: functions gathered from definitions, checked once, and the immutable snapshot made of them.

use std::{
    any::Any,
    collections::{HashMap, HashSet, hash_map::Entry},
    fmt,
    sync::{Arc, OnceLock},
    time::Duration,
};

use super::{
    answer::Frame,
    arguments::{Mode, PromptCall, ResourceCall, ToolCall},
    context::{Requirement, States},
    definition::{self, Prompt, PromptSpec, Resource, ResourceSpec, Segment, Tool, ToolSpec},
    describe::{PromptDescription, ResourceDescription, ToolDescription},
    error::Error,
    list::Pages,
    mirrored::{self, MirroredArgument},
    outcome::{Completer, Step},
    patterns::Patterns,
    template,
};
use crate::protocol::{
    self, Annotations, CacheScope, Caching, CallToolResult, GetPromptResult, Icon, Implementation, ProtocolVersion,
    ReadResourceResult, ServerCapabilities, ToolAnnotations,
    capabilities::{Empty, ListCapability},
};

/// A lone tool: the type beside a function under `#[mcp_tool]`.
pub trait ToolItem {
    /// The function's table entry.
    const TOOL: Tool<()>;
}

/// A lone resource: the type beside a function under `#[mcp_resource]`.
pub trait ResourceItem {
    /// The function's table entry.
    const RESOURCE: Resource<()>;
}

/// A lone prompt: the type beside a function under `#[mcp_prompt]`.
pub trait PromptItem {
    /// The function's table entry.
    const PROMPT: Prompt<()>;
}

/// A function with the state it belongs to.
struct Bound<S, F> {
    state: Arc<S>,
    call: F,
}

/// Calls a function whose state's type is forgotten.
pub(crate) trait Function<C, R>: Send + Sync {
    fn call(&self, call: C) -> Step<R>;
}

macro_rules! functions {
    ($($call:ident => $result:ty;)*) => { $(
        impl<S: Send + Sync> Function<$call<'_>, $result> for Bound<S, fn(&Arc<S>, $call<'_>) -> Step<$result>> {
            fn call(&self, call: $call<'_>) -> Step<$result> {
                (self.call)(&self.state, call)
            }
        }
    )* };
}
functions! {
    ToolCall => CallToolResult;
    ResourceCall => ReadResourceResult;
    PromptCall => GetPromptResult;
}

type ToolFunction = Box<dyn for<'a> Function<ToolCall<'a>, CallToolResult>>;
type ResourceFunction = Box<dyn for<'a> Function<ResourceCall<'a>, ReadResourceResult>>;
type PromptFunction = Box<dyn for<'a> Function<PromptCall<'a>, GetPromptResult>>;

/// Functions on their way into a registry.
#[derive(Default)]
pub(crate) struct Registration {
    tools: Vec<PendingItem<ToolSpec, ToolFunction>>,
    resources: Vec<PendingItem<ResourceSpec, ResourceFunction>>,
    prompts: Vec<PendingItem<PromptSpec, PromptFunction>>,
    /// The states of this server (the first) and of those mounted on it.
    states: Vec<States>,
    page_size: Option<usize>,
    caching: Caching,
}

struct PendingItem<Spec, F> {
    spec: Spec,
    /// The name, with the prefixes under which its server was mounted.
    name: String,
    function: F,
    states: usize,
    full_schemas: bool,
}

/// Entries of one page, where nobody says otherwise.
const PAGE_SIZE: usize = 500;

impl Registration {
    pub(crate) fn new() -> Self {
        Self { states: vec![States::default()], ..Self::default() }
    }

    pub(crate) fn add_definition<S: Send + Sync + 'static>(
        &mut self,
        state: &Arc<S>,
        definition: &definition::Definition<S>,
    ) {
        let full = definition.server.full_schemas;
        for tool in definition.tools {
            self.add_tool(state, tool, full);
        }
        for resource in definition.resources {
            self.add_resource(state, resource);
        }
        for prompt in definition.prompts {
            self.add_prompt(state, prompt);
        }
    }

    pub(crate) fn add_tool<S: Send + Sync + 'static>(&mut self, state: &Arc<S>, tool: &Tool<S>, full_schemas: bool) {
        let function = Box::new(Bound { state: Arc::clone(state), call: tool.call });
        let name = tool.spec.name.to_owned();
        self.tools.push(PendingItem { spec: tool.spec, name, function, states: 0, full_schemas });
    }

    pub(crate) fn add_resource<S: Send + Sync + 'static>(&mut self, state: &Arc<S>, resource: &Resource<S>) {
        let function = Box::new(Bound { state: Arc::clone(state), call: resource.call });
        let name = resource.spec.name.to_owned();
        self.resources.push(PendingItem { spec: resource.spec, name, function, states: 0, full_schemas: false });
    }

    pub(crate) fn add_prompt<S: Send + Sync + 'static>(&mut self, state: &Arc<S>, prompt: &Prompt<S>) {
        let function = Box::new(Bound { state: Arc::clone(state), call: prompt.call });
        let name = prompt.spec.name.to_owned();
        self.prompts.push(PendingItem { spec: prompt.spec, name, function, states: 0, full_schemas: false });
    }

    pub(crate) fn add_state<T: Any + Send + Sync>(&mut self, value: T) {
        self.states[0].insert(value);
    }

    pub(crate) fn set_page_size(&mut self, size: usize) {
        self.page_size = Some(size.max(1));
    }

    pub(crate) fn set_caching(&mut self, caching: Caching) {
        self.caching = caching;
    }

    /// Takes over another server's functions, named `prefix_…`; URIs stay as they are.
    pub(crate) fn mount(&mut self, prefix: Option<&str>, mut other: Self) {
        let offset = self.states.len();
        let renamed = |name: String| prefix.map_or_else(|| name.clone(), |prefix| format!("{prefix}_{name}"));
        self.tools.extend(other.tools.into_iter().map(|item| item.moved(offset, renamed)));
        self.resources.extend(other.resources.into_iter().map(|item| item.moved(offset, renamed)));
        self.prompts.extend(other.prompts.into_iter().map(|item| item.moved(offset, renamed)));
        // What a mounted server was given holds for those mounted on it.
        let (own, mounted) = other.states.split_at_mut(1);
        for states in mounted {
            states.fill_from(&own[0]);
        }
        self.states.extend(other.states);
    }

    /// Checks everything, and makes the snapshot.
    ///
    /// # Errors
    /// All that is wrong, in order of registration.
    pub(crate) fn build(mut self, info: Implementation, instructions: Option<String>) -> Result<Registry, Error> {
        let (own, mounted) = self.states.split_at_mut(1);
        for states in mounted {
            states.fill_from(&own[0]);
        }
        let states: Vec<_> = self.states.into_iter().map(Arc::new).collect();
        let mut errors = Vec::new();
        let mut registry = Registry {
            frame: Frame::new(&info),
            info,
            instructions,
            tools: Vec::new(),
            tool_index: HashMap::new(),
            resources: Vec::new(),
            resource_index: HashMap::new(),
            resource_names: HashSet::new(),
            templates: Vec::new(),
            prompts: Vec::new(),
            prompt_index: HashMap::new(),
            page_size: self.page_size.unwrap_or(PAGE_SIZE),
            caching: self.caching,
            lists: Default::default(),
        };
        for item in self.tools {
            registry.add_tool(item, &states, &mut errors);
        }
        for item in self.resources {
            registry.add_resource(item, &states, &mut errors);
        }
        for item in self.prompts {
            registry.add_prompt(item, &states, &mut errors);
        }
        template::sort(&mut registry.templates);
        match errors.len() {
            0 => Ok(registry),
            1 => Err(errors.remove(0)),
            _ => Err(Error::Several(errors)),
        }
    }
}

impl<Spec, F> PendingItem<Spec, F> {
    fn moved(mut self, offset: usize, rename: impl Fn(String) -> String) -> Self {
        self.states += offset;
        self.name = rename(self.name);
        self
    }
}

impl fmt::Debug for Registration {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Registration")
            .field("tools", &self.tools.iter().map(|item| &item.name).collect::<Vec<_>>())
            .field("resources", &self.resources.iter().map(|item| item.spec.uri).collect::<Vec<_>>())
            .field("prompts", &self.prompts.iter().map(|item| &item.name).collect::<Vec<_>>())
            .finish_non_exhaustive()
    }
}

/// All that a server has. Immutable: nothing on the way of a call locks, builds or clones it.
pub(crate) struct Registry {
    info: Implementation,
    instructions: Option<String>,
    tools: Vec<RegisteredTool>,
    tool_index: HashMap<String, usize>,
    resources: Vec<RegisteredResource>,
    resource_index: HashMap<String, usize>,
    /// The names of resources and templates, for refusing one that is taken.
    resource_names: HashSet<String>,
    /// Most specific first.
    templates: Vec<RegisteredResource>,
    prompts: Vec<RegisteredPrompt>,
    prompt_index: HashMap<String, usize>,
    page_size: usize,
    /// How long lists and contents keep, where nothing else is said.
    caching: Caching,
    frame: Frame,
    /// The serialised pages of each list, by version: made when first asked for.
    lists: [[OnceLock<Pages>; ProtocolVersion::ALL.len()]; List::ALL],
}

/// A tool with all that its call needs.
pub(crate) struct RegisteredTool {
    pub(crate) listed: protocol::Tool,
    pub(crate) function: ToolFunction,
    pub(crate) states: Arc<States>,
    /// The names that its schema knows.
    pub(crate) properties: Option<Vec<String>>,
    pub(crate) scopes: &'static [&'static str],
    /// The names that each flattened parameter takes.
    pub(crate) flattened: Vec<(&'static str, Option<Vec<String>>)>,
    pub(crate) patterns: Patterns,
    pub(crate) strict: bool,
    pub(crate) timeout: Option<Duration>,
    /// The arguments that headers repeat.
    pub(crate) mirrored: Vec<MirroredArgument>,
    /// How long its entry in the list keeps.
    caching: Caching,
}

/// A resource or a template with all that its reading needs.
pub(crate) struct RegisteredResource {
    pub(crate) spec: ResourceSpec,
    pub(crate) name: String,
    pub(crate) function: ResourceFunction,
    pub(crate) states: Arc<States>,
    pub(crate) completers: Vec<(&'static str, Completer)>,
}

/// A prompt with all that its making needs.
pub(crate) struct RegisteredPrompt {
    pub(crate) listed: protocol::Prompt,
    pub(crate) scopes: &'static [&'static str],
    pub(crate) description: Option<&'static str>,
    pub(crate) function: PromptFunction,
    pub(crate) states: Arc<States>,
    pub(crate) completers: Vec<(&'static str, Completer)>,
}

/// Which list.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum List {
    Tools,
    Resources,
    ResourceTemplates,
    Prompts,
}

impl List {
    const ALL: usize = 4;
}

impl Registry {
    pub(crate) fn info(&self) -> &Implementation {
        &self.info
    }

    pub(crate) fn instructions(&self) -> Option<&str> {
        self.instructions.as_deref()
    }

    pub(crate) fn tool(&self, name: &str) -> Option<&RegisteredTool> {
        self.tool_index.get(name).map(|index| &self.tools[*index])
    }

    pub(crate) fn tool_names(&self) -> impl Iterator<Item = &str> {
        self.tools.iter().map(|tool| tool.listed.name.as_str())
    }

    pub(crate) fn prompt(&self, name: &str) -> Option<&RegisteredPrompt> {
        self.prompt_index.get(name).map(|index| &self.prompts[*index])
    }

    pub(crate) fn prompt_names(&self) -> impl Iterator<Item = &str> {
        self.prompts.iter().map(|prompt| prompt.listed.name.as_str())
    }

    /// The resource of exactly that URI.
    pub(crate) fn resource(&self, uri: &str) -> Option<&RegisteredResource> {
        self.resource_index.get(uri).map(|index| &self.resources[*index])
    }

    /// The most specific template that has that URI, with the values of its variables.
    pub(crate) fn template(&self, uri: &str) -> Option<(&RegisteredResource, Vec<(&'static str, String)>)> {
        self.templates.iter().find_map(|template| Some((template, template::match_uri(template.spec.segments, uri)?)))
    }

    /// The template that is written so.
    pub(crate) fn template_of(&self, uri_template: &str) -> Option<&RegisteredResource> {
        self.templates.iter().find(|template| template.spec.uri == uri_template)
    }

    pub(crate) fn resource_uris(&self) -> impl Iterator<Item = &str> {
        self.resources.iter().chain(&self.templates).map(|resource| resource.spec.uri)
    }

    pub(crate) fn has(&self, list: List) -> bool {
        match list {
            List::Tools => !self.tools.is_empty(),
            List::Resources | List::ResourceTemplates => !self.resources.is_empty() || !self.templates.is_empty(),
            List::Prompts => !self.prompts.is_empty(),
        }
    }

    pub(crate) fn has_completions(&self) -> bool {
        self.templates.iter().any(|template| !template.completers.is_empty())
            || self.prompts.iter().any(|prompt| !prompt.completers.is_empty())
    }

    /// What the server offers: what is registered, and nothing else.
    pub(crate) fn capabilities(&self) -> ServerCapabilities {
        let list = |list| self.has(list).then(ListCapability::default);
        ServerCapabilities {
            logging: Some(Empty {}),
            completions: self.has_completions().then_some(Empty {}),
            prompts: list(List::Prompts),
            resources: list(List::Resources),
            tools: list(List::Tools),
        }
    }

    /// The pages of a list as `version` knows it, serialised once.
    pub(crate) fn pages(&self, list: List, version: ProtocolVersion) -> &Pages {
        self.lists[list as usize][version.index()].get_or_init(|| {
            let (size, frame, caching) = (self.page_size, &self.frame, self.caching);
            match list {
                List::Tools => {
                    let caching = self.tools.iter().map(|tool| tool.caching).reduce(Caching::and).unwrap_or(caching);
                    let tools = self.tools.iter().map(|tool| tool.listed.clone());
                    Pages::new("tools", tools, size, version, frame, caching)
                }
                List::Resources => {
                    let resources = self.resources.iter().map(RegisteredResource::resource);
                    Pages::new("resources", resources, size, version, frame, caching)
                }
                List::ResourceTemplates => {
                    let templates = self.templates.iter().map(RegisteredResource::template);
                    Pages::new("resourceTemplates", templates, size, version, frame, caching)
                }
                List::Prompts => {
                    let prompts = self.prompts.iter().map(|prompt| prompt.listed.clone());
                    Pages::new("prompts", prompts, size, version, frame, caching)
                }
            }
        })
    }

    /// The headers that repeat arguments, each once.
    #[cfg(feature = "http")]
    pub(crate) fn mirrored_headers(&self) -> Vec<String> {
        let headers = self.tools.iter().flat_map(|tool| tool.mirrored.iter().map(|argument| argument.header()));
        let mut headers: Vec<_> = headers.map(str::to_owned).collect();
        headers.sort();
        headers.dedup();
        headers
    }

    /// What results begin with.
    pub(super) fn frame(&self) -> &Frame {
        &self.frame
    }

    /// How long what was declared so keeps, and for whom.
    pub(crate) fn declared(&self, ttl: Option<Duration>, public: Option<bool>) -> Caching {
        let of = |public| if public { CacheScope::Public } else { CacheScope::Private };
        let ttl = ttl.unwrap_or(Duration::from_millis(self.caching.ttl_ms));
        Caching::new(ttl, public.map_or(self.caching.cache_scope, of))
    }

    /// How long what the server says of itself keeps.
    pub(crate) fn caching(&self) -> Caching {
        self.caching
    }

    fn add_tool(&mut self, item: PendingItem<ToolSpec, ToolFunction>, states: &[Arc<States>], errors: &mut Vec<Error>) {
        const KIND: &str = "tool";
        let PendingItem { spec, name, function, states: group, full_schemas } = item;
        let states = Arc::clone(&states[group]);
        let mut description = ToolDescription::new(full_schemas);
        function.call(ToolCall(Mode::Describe(&mut description)));
        check_name(KIND, &name, errors);
        check_states(KIND, &name, &description.requirements, &states, errors);
        for reason in description.faults.drain(..) {
            errors.push(Error::InvalidItem { kind: KIND, name: name.clone(), reason });
        }
        let own_schema = spec.input_schema.map(|schema| schema());
        if let Some(schema) = &own_schema
            && schema["type"] != "object"
        {
            let reason = "its `input_schema` must be an object schema: `\"type\": \"object\"` at the root".to_owned();
            errors.push(Error::InvalidItem { kind: KIND, name: name.clone(), reason });
        }
        let output_schema = description.output_schema().filter(|_| spec.output_schema != Some(false));
        let input_schema = own_schema.clone().map_or_else(|| description.input_schema(), Into::into);
        let mirrored = input_schema.parse().ok().map_or(Ok(Vec::new()), |schema| mirrored::arguments(&schema));
        let mirrored = mirrored.unwrap_or_else(|reason| {
            errors.push(Error::InvalidItem { kind: KIND, name: name.clone(), reason });
            Vec::new()
        });
        let listed = protocol::Tool {
            name: name.clone(),
            title: spec.title.map(str::to_owned),
            description: Some(spec.description.to_owned()),
            icons: icons(spec.icons),
            input_schema,
            output_schema,
            annotations: annotations(&spec),
            meta: None,
        };
        let tool = RegisteredTool {
            listed,
            function,
            states,
            properties: if own_schema.is_some() { None } else { description.names() },
            scopes: spec.scopes,
            flattened: description.flattened,
            patterns: description.patterns,
            strict: spec.strict,
            timeout: spec.timeout,
            mirrored,
            caching: self.declared(spec.ttl, spec.public_cache),
        };
        insert(KIND, name, tool, &mut self.tools, &mut self.tool_index, errors);
    }

    fn add_resource(
        &mut self,
        item: PendingItem<ResourceSpec, ResourceFunction>,
        states: &[Arc<States>],
        errors: &mut Vec<Error>,
    ) {
        let PendingItem { spec, name, function, states: group, .. } = item;
        let states = Arc::clone(&states[group]);
        let mut description = ResourceDescription::default();
        function.call(ResourceCall(Mode::Describe(&mut description)));
        check_states("resource", &name, &description.requirements, &states, errors);

        if !self.resource_names.insert(name.clone()) {
            errors.push(Error::Duplicate { kind: "resource", name });
            return;
        }
        let fixed = spec.segments.iter().all(|segment| matches!(segment, Segment::Literal(_)));
        let resource = RegisteredResource { spec, name, function, states, completers: description.completers };
        if fixed {
            let uri = spec.uri.to_owned();
            if self.resource_index.contains_key(&uri) {
                errors.push(Error::DuplicateUri { kind: "resource", uri });
                return;
            }
            insert("resource", uri, resource, &mut self.resources, &mut self.resource_index, errors);
        } else if self.templates.iter().any(|other| template::is_same(other.spec.segments, spec.segments)) {
            errors.push(Error::DuplicateUri { kind: "resource template", uri: spec.uri.to_owned() });
        } else {
            self.templates.push(resource);
        }
    }

    fn add_prompt(
        &mut self,
        item: PendingItem<PromptSpec, PromptFunction>,
        states: &[Arc<States>],
        errors: &mut Vec<Error>,
    ) {
        const KIND: &str = "prompt";
        let PendingItem { spec, name, function, states: group, .. } = item;
        let states = Arc::clone(&states[group]);
        let mut description = PromptDescription::default();
        function.call(PromptCall(Mode::Describe(&mut description)));
        check_name(KIND, &name, errors);
        check_states(KIND, &name, &description.requirements, &states, errors);
        let listed = protocol::Prompt {
            name: name.clone(),
            title: spec.title.map(str::to_owned),
            description: spec.description.map(str::to_owned),
            icons: icons(spec.icons),
            arguments: (!description.arguments.is_empty()).then_some(description.arguments),
            meta: None,
        };
        let prompt = RegisteredPrompt {
            listed,
            scopes: spec.scopes,
            description: spec.description,
            function,
            states,
            completers: description.completers,
        };
        insert(KIND, name, prompt, &mut self.prompts, &mut self.prompt_index, errors);
    }
}

impl RegisteredResource {
    fn resource(&self) -> protocol::Resource {
        let spec = &self.spec;
        protocol::Resource {
            uri: spec.uri.to_owned(),
            name: self.name.clone(),
            title: spec.title.map(str::to_owned),
            description: spec.description.map(str::to_owned),
            mime_type: spec.mime_type.map(str::to_owned),
            size: spec.size,
            icons: icons(spec.icons),
            annotations: resource_annotations(spec),
            meta: None,
        }
    }

    fn template(&self) -> protocol::ResourceTemplate {
        let spec = &self.spec;
        protocol::ResourceTemplate {
            uri_template: spec.uri.to_owned(),
            name: self.name.clone(),
            title: spec.title.map(str::to_owned),
            description: spec.description.map(str::to_owned),
            mime_type: spec.mime_type.map(str::to_owned),
            icons: icons(spec.icons),
            annotations: resource_annotations(spec),
            meta: None,
        }
    }
}

impl fmt::Debug for Registry {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Registry").field("tools", &self.tool_names().collect::<Vec<_>>()).finish_non_exhaustive()
    }
}

fn insert<T>(
    kind: &'static str,
    name: String,
    item: T,
    items: &mut Vec<T>,
    index: &mut HashMap<String, usize>,
    errors: &mut Vec<Error>,
) {
    match index.entry(name) {
        Entry::Occupied(taken) => errors.push(Error::Duplicate { kind, name: taken.key().clone() }),
        Entry::Vacant(free) => {
            free.insert(items.len());
            items.push(item);
        }
    }
}

fn check_name(kind: &'static str, name: &str, errors: &mut Vec<Error>) {
    let fits = (1..=64).contains(&name.len())
        && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'-');
    if !fits {
        errors.push(Error::InvalidName { kind, name: name.to_owned() });
    }
}

fn check_states(
    kind: &'static str,
    name: &str,
    requirements: &[Requirement],
    states: &States,
    errors: &mut Vec<Error>,
) {
    for requirement in requirements {
        if !states.contains(requirement.type_id) {
            let type_name = requirement.type_name;
            errors.push(Error::MissingState { kind, name: name.to_owned(), type_name });
        }
    }
}

pub(crate) fn icons(sources: &[&str]) -> Option<Vec<Icon>> {
    (!sources.is_empty()).then(|| sources.iter().map(|source| Icon::new(*source)).collect())
}

fn annotations(spec: &ToolSpec) -> Option<ToolAnnotations> {
    let annotations = ToolAnnotations {
        title: None,
        read_only_hint: spec.read_only,
        destructive_hint: spec.destructive,
        idempotent_hint: spec.idempotent,
        open_world_hint: spec.open_world,
    };
    (annotations != ToolAnnotations::default()).then_some(annotations)
}

fn resource_annotations(spec: &ResourceSpec) -> Option<Annotations> {
    let audience = (!spec.audience.is_empty()).then(|| spec.audience.to_vec());
    let annotations = Annotations { audience, priority: spec.priority, last_modified: None };
    (annotations != Annotations::default()).then_some(annotations)
}
