//! What a server has: the immutable snapshot that every call looks its function up in.

mod admission;
mod shelf;

use std::{
    collections::HashMap,
    fmt,
    sync::{Arc, OnceLock},
    time::Duration,
};

use shelf::Shelf;

use super::{
    advertised::Advertised,
    answer::Frame,
    completion::Completing,
    context::States,
    definition::{Prompt, Resource, ResourceSpec, Tool},
    dynamic::DynamicTool,
    error::Error,
    list::Pages,
    mirrored::MirroredArgument,
    obstacles::Obstacles,
    patterns::Patterns,
    registration::{PromptFunction, Registration, ResourceFunction, ToolFunction},
    template,
};
use crate::protocol::{
    self, Annotations, CacheScope, Caching, Icon, Implementation, Meta, ProtocolVersion, ServerCapabilities,
    TaskSupport,
    capabilities::{Empty, ListCapability},
    tasks,
};

/// A lone tool: the type beside a function under `#[mcp_tool]`.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is no tool",
    label = "not a function under `#[mcp_tool]`",
    note = "name the function: `.tool::<function>()`, and put `#[mcp_tool]` above it",
    note = "the functions of a block or a module under `#[mcp_server]` are mounted together: `.mount(module::server())`"
)]
pub trait ToolItem {
    /// The function, as people know it.
    const PART: &'static str;
    /// The function's table entry.
    const TOOL: Tool<()>;
}

/// A lone resource: the type beside a function under `#[mcp_resource]`.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is no resource",
    label = "not a function under `#[mcp_resource]`",
    note = "name the function: `.resource::<function>()`, and put `#[mcp_resource]` above it",
    note = "the functions of a block or a module under `#[mcp_server]` are mounted together: `.mount(module::server())`"
)]
pub trait ResourceItem {
    /// The function, as people know it.
    const PART: &'static str;
    /// The function's table entry.
    const RESOURCE: Resource<()>;
}

/// A lone prompt: the type beside a function under `#[mcp_prompt]`.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is no prompt",
    label = "not a function under `#[mcp_prompt]`",
    note = "name the function: `.prompt::<function>()`, and put `#[mcp_prompt]` above it",
    note = "the functions of a block or a module under `#[mcp_server]` are mounted together: `.mount(module::server())`"
)]
pub trait PromptItem {
    /// The function, as people know it.
    const PART: &'static str;
    /// The function's table entry.
    const PROMPT: Prompt<()>;
}

/// All that a server has. Immutable: nothing on the way of a call locks, builds or clones it. A change is another
/// registry, which shares with this one all that it did not change.
#[derive(Clone)]
pub(crate) struct Registry {
    server: Arc<Identity>,
    tools: Shelf<RegisteredTool>,
    resources: Shelf<RegisteredResource>,
    /// The names of resources and templates, for refusing one that is taken, with the parts they are from.
    resource_names: Arc<HashMap<String, Option<&'static str>>>,
    /// Most specific first.
    templates: Arc<Vec<Arc<RegisteredResource>>>,
    template_pages: Arc<PagesOfVersions>,
    prompts: Shelf<RegisteredPrompt>,
    /// There are tools, or there were, or there will be.
    offers_tools: bool,
}

/// What stays the same for as long as the server runs.
pub(super) struct Identity {
    pub(super) info: Implementation,
    pub(super) instructions: Option<String>,
    pub(super) page_size: usize,
    /// How long lists and contents keep, where nothing else is said.
    pub(super) caching: Caching,
    pub(super) extensions: Option<Meta>,
    pub(super) frame: Arc<Frame>,
    /// The server's own states, for what is added later.
    pub(super) states: Arc<States>,
}

/// The serialised pages of a list, by version: made when first asked for.
type PagesOfVersions = [OnceLock<Pages>; ProtocolVersion::ALL.len()];

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
    /// The bounds that the types of its parameters have, where they have any.
    pub(crate) advertised: Option<Box<Advertised>>,
    pub(crate) strict: bool,
    pub(crate) timeout: Option<Duration>,
    /// The arguments that headers repeat.
    pub(crate) mirrored: Vec<MirroredArgument>,
    /// Whether its calls may become tasks.
    pub(super) task: Option<TaskSupport>,
    /// How long its entry in the list keeps.
    pub(super) caching: Caching,
}

/// A resource or a template with all that its reading needs.
pub(crate) struct RegisteredResource {
    pub(crate) spec: ResourceSpec,
    pub(crate) name: String,
    pub(crate) function: ResourceFunction,
    pub(crate) states: Arc<States>,
    pub(crate) completing: Vec<(&'static str, Completing)>,
    /// The block or the module it is from.
    part: Option<&'static str>,
}

/// A prompt with all that its making needs.
pub(crate) struct RegisteredPrompt {
    pub(crate) listed: protocol::Prompt,
    pub(crate) scopes: &'static [&'static str],
    pub(crate) description: Option<&'static str>,
    pub(crate) function: PromptFunction,
    pub(crate) states: Arc<States>,
    pub(crate) completing: Vec<(&'static str, Completing)>,
}

/// Which list.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum List {
    Tools,
    Resources,
    ResourceTemplates,
    Prompts,
}

impl Registry {
    /// A server without functions.
    pub(super) fn new(server: Identity) -> Self {
        Self {
            server: Arc::new(server),
            tools: Shelf::default(),
            resources: Shelf::default(),
            resource_names: Arc::default(),
            templates: Arc::default(),
            template_pages: Arc::default(),
            prompts: Shelf::default(),
            offers_tools: false,
        }
    }

    /// Tools are offered even while there are none.
    pub(super) fn offer_tools(&mut self) {
        self.offers_tools = true;
    }

    pub(crate) fn info(&self) -> &Implementation {
        &self.server.info
    }

    pub(crate) fn instructions(&self) -> Option<&str> {
        self.server.instructions.as_deref()
    }

    pub(crate) fn tool(&self, name: &str) -> Option<&RegisteredTool> {
        self.tools.get(name)
    }

    pub(crate) fn tool_names(&self) -> impl Iterator<Item = &str> {
        self.tools.items.iter().map(|tool| tool.listed.name.as_str())
    }

    pub(crate) fn prompt(&self, name: &str) -> Option<&RegisteredPrompt> {
        self.prompts.get(name)
    }

    pub(crate) fn prompt_names(&self) -> impl Iterator<Item = &str> {
        self.prompts.items.iter().map(|prompt| prompt.listed.name.as_str())
    }

    /// The resource of exactly that URI.
    pub(crate) fn resource(&self, uri: &str) -> Option<&RegisteredResource> {
        self.resources.get(uri)
    }

    /// The most specific template that has that URI, with the values of its variables.
    pub(crate) fn template(&self, uri: &str) -> Option<(&RegisteredResource, Vec<(&'static str, String)>)> {
        self.templates
            .iter()
            .find_map(|template| Some((&**template, template::match_uri(template.spec.segments, uri)?)))
    }

    /// The template that is written so.
    pub(crate) fn template_of(&self, uri_template: &str) -> Option<&RegisteredResource> {
        self.templates.iter().find(|template| template.spec.uri == uri_template).map(|template| &**template)
    }

    pub(crate) fn resource_uris(&self) -> impl Iterator<Item = &str> {
        self.resources.items.iter().chain(&*self.templates).map(|resource| resource.spec.uri)
    }

    pub(crate) fn has(&self, list: List) -> bool {
        match list {
            List::Tools => self.offers_tools,
            List::Resources | List::ResourceTemplates => !self.resources.items.is_empty() || !self.templates.is_empty(),
            List::Prompts => !self.prompts.items.is_empty(),
        }
    }

    pub(crate) fn has_completions(&self) -> bool {
        self.templates.iter().any(|template| !template.completing.is_empty())
            || self.prompts.items.iter().any(|prompt| !prompt.completing.is_empty())
    }

    /// The names of all that takes scopes.
    #[cfg(feature = "http")]
    pub(crate) fn names_with_scopes(&self) -> Vec<&str> {
        let tools = self.tools.items.iter().map(|tool| (tool.scopes, tool.listed.name.as_str()));
        let resources = self.resources.items.iter().chain(&*self.templates);
        let resources = resources.map(|resource| (resource.spec.scopes, resource.name.as_str()));
        let prompts = self.prompts.items.iter().map(|prompt| (prompt.scopes, prompt.listed.name.as_str()));
        let all = tools.chain(resources).chain(prompts);
        all.filter(|(scopes, _)| !scopes.is_empty()).map(|(_, name)| name).collect()
    }

    /// What the server offers: what is registered, and nothing else. Changes are announced to whoever `hears` them.
    pub(crate) fn capabilities(&self, hears: bool) -> ServerCapabilities {
        let list = |list, subscribe| self.has(list).then_some(ListCapability { list_changed: hears, subscribe });
        ServerCapabilities {
            logging: Some(Empty {}),
            completions: self.has_completions().then_some(Empty {}),
            prompts: list(List::Prompts, false),
            resources: list(List::Resources, hears),
            tools: list(List::Tools, false),
            extensions: self.extensions(),
            tasks: None,
        }
    }

    /// Whether there are tools whose calls may become tasks.
    pub(crate) fn has_tasks(&self) -> bool {
        self.tools.items.iter().any(|tool| tool.task.is_some())
    }

    fn extensions(&self) -> Option<Meta> {
        let mut extensions = self.server.extensions.clone();
        if self.has_tasks() {
            extensions.get_or_insert_default().entry(tasks::EXTENSION).or_insert_with(|| Meta::new().into());
        }
        extensions
    }

    /// The pages of a list as `version` knows it, serialised once.
    pub(crate) fn pages(&self, list: List, version: ProtocolVersion) -> &Pages {
        let Identity { page_size, frame, caching, .. } = &*self.server;
        let (size, caching) = (*page_size, *caching);
        let pages = match list {
            List::Tools => &self.tools.pages,
            List::Resources => &self.resources.pages,
            List::ResourceTemplates => &self.template_pages,
            List::Prompts => &self.prompts.pages,
        };
        pages[version.index()].get_or_init(|| match list {
            List::Tools => {
                let tools = &self.tools.items;
                let caching = tools.iter().map(|tool| tool.caching).reduce(Caching::and).unwrap_or(caching);
                // What could not be called is not shown.
                let has_tasks = version.has_core_tasks() || version.has_tasks_extension();
                let shown = tools.iter().filter(|tool| has_tasks || tool.task != Some(TaskSupport::Required));
                Pages::new("tools", shown.map(|tool| tool.listed.clone()), size, version, frame, caching)
            }
            List::Resources => {
                let resources = self.resources.items.iter().map(|resource| resource.resource());
                Pages::new("resources", resources, size, version, frame, caching)
            }
            List::ResourceTemplates => {
                let templates = self.templates.iter().map(|template| template.template());
                Pages::new("resourceTemplates", templates, size, version, frame, caching)
            }
            List::Prompts => {
                let prompts = self.prompts.items.iter().map(|prompt| prompt.listed.clone());
                Pages::new("prompts", prompts, size, version, frame, caching)
            }
        })
    }

    /// The headers that repeat arguments, each once.
    #[cfg(feature = "http")]
    pub(crate) fn mirrored_headers(&self) -> Vec<String> {
        let headers = self.tools.items.iter().flat_map(|tool| tool.mirrored.iter().map(|argument| argument.header()));
        let mut headers: Vec<_> = headers.collect();
        headers.sort_unstable();
        headers.dedup();
        headers.into_iter().map(str::to_owned).collect()
    }

    /// What results begin with.
    pub(super) fn frame(&self) -> &Arc<Frame> {
        &self.server.frame
    }

    /// How long what was declared so keeps, and for whom.
    pub(crate) fn declared(&self, ttl: Option<Duration>, public: Option<bool>) -> Caching {
        let of = |public| if public { CacheScope::Public } else { CacheScope::Private };
        let caching = self.caching();
        let ttl = ttl.unwrap_or(Duration::from_millis(caching.ttl_ms));
        Caching::new(ttl, public.map_or(caching.cache_scope, of))
    }

    /// How long what the server says of itself keeps.
    pub(crate) fn caching(&self) -> Caching {
        self.server.caching
    }

    /// This registry with one more tool: a lone function.
    ///
    /// # Errors
    /// As at start.
    pub(super) fn with_tool<T: ToolItem>(&self) -> Result<Self, Error> {
        let mut registration = Registration::new();
        registration.add_tool(T::PART, &Arc::new(()), &T::TOOL, false);
        let (mut changed, mut errors, mut obstacles) = (self.clone(), Vec::new(), Obstacles::default());
        for item in registration.into_tools() {
            changed.add_tool(item, Arc::clone(&self.server.states), &mut errors, &mut obstacles);
        }
        changed.offers_tools = true;
        obstacles.warn();
        in_one(errors).map_or(Ok(changed), Err)
    }

    /// This registry with one more tool that no function's table describes.
    ///
    /// # Errors
    /// As at start.
    pub(super) fn with_dynamic_tool(&self, tool: DynamicTool) -> Result<Self, Error> {
        let (mut changed, mut errors, mut obstacles) = (self.clone(), Vec::new(), Obstacles::default());
        changed.add_dynamic(tool, Arc::clone(&self.server.states), &mut errors, &mut obstacles);
        changed.offers_tools = true;
        obstacles.warn();
        in_one(errors).map_or(Ok(changed), Err)
    }

    /// This registry without the tool of that name; none where it has no such tool.
    pub(super) fn without_tool(&self, name: &str) -> Option<Self> {
        let mut changed = self.clone();
        changed.tools.remove(name).then_some(changed)
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

/// One error of all that was found; none where nothing was.
pub(super) fn in_one(mut errors: Vec<Error>) -> Option<Error> {
    match errors.len() {
        0 => None,
        1 => Some(errors.remove(0)),
        _ => Some(Error::Several(errors)),
    }
}

pub(crate) fn icons(sources: &[&str]) -> Option<Vec<Icon>> {
    (!sources.is_empty()).then(|| sources.iter().map(|source| Icon::new(*source)).collect())
}

fn resource_annotations(spec: &ResourceSpec) -> Option<Annotations> {
    let audience = (!spec.audience.is_empty()).then(|| spec.audience.to_vec());
    let annotations = Annotations { audience, priority: spec.priority, last_modified: None };
    (annotations != Annotations::default()).then_some(annotations)
}

#[cfg(test)]
mod tests {
    use std::{ptr, sync::Arc};

    use serde_json::json;

    use super::List;
    use crate::{
        protocol::{Implementation, ProtocolVersion},
        server::{dynamic::DynamicTool, registration::Registration},
    };

    #[test]
    fn a_change_leaves_alone_what_it_does_not_change() {
        let tool = |name: &str| DynamicTool::new(name, "", json!({"type": "object"}), async |_, _| ());
        let mut registration = Registration::new();
        registration.add_dynamic_tool(tool("first"));
        let before = registration.build(Implementation::default(), None).unwrap();
        let after = before.with_dynamic_tool(tool("second")).unwrap();
        let version = ProtocolVersion::LATEST_WITH_HANDSHAKE;
        for (list, is_shared) in
            [(List::Tools, false), (List::Prompts, true), (List::Resources, true), (List::ResourceTemplates, true)]
        {
            let pages = (before.pages(list, version), after.pages(list, version));
            assert_eq!(ptr::eq(pages.0, pages.1), is_shared, "{list:?}");
        }
        assert!(Arc::ptr_eq(&before.tools.items[0], &after.tools.items[0]));
        assert!(before.tool("second").is_none(), "a snapshot stays what it is");
        let without = after.without_tool("first").unwrap();
        assert_eq!(without.tool_names().collect::<Vec<_>>(), ["second"]);
        assert!(without.tool("second").is_some() && without.without_tool("first").is_none());
    }
}
