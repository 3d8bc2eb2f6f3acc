-- Prepares a new Lua state for one script: removes what scripts may not have, and returns the functions that run one.
--
-- The state belongs to one call. Everything that is needed later is kept in local variables here, because a script can
-- replace every global function. `host` is the only Python object; it is never visible to the script.
local host, cpu_seconds, hook_instructions = ...

local clock, sethook = os.clock, debug.sethook
local error, type, next, tostring, select = error, type, next, tostring, select
local pcall, xpcall, rawget, rawset, setmetatable = pcall, xpcall, rawget, rawset, setmetatable
local pack, unpack, concat = table.pack, table.unpack, table.concat
local create, resume = coroutine.create, coroutine.resume
local globals = _G

-- 1. Limits

local started, stopped = clock(), nil

local function stop(message)
    stopped = message
    error(message, 3)
end

local function watch()
    if not stopped and clock() - started > cpu_seconds then
        stopped = "timeout"
    end
    if stopped then
        error(stopped, 2)
    end
end

-- A script must not catch the error that ends it.
local function unless_stopped(...)
    if stopped then
        error(stopped, 2)
    end
    return ...
end

-- 2. The functions that scripts may use. Everything else is removed.

local function only(library, names)
    local kept = {}
    for index = 1, #names do
        kept[names[index]] = library[names[index]]
    end
    return kept
end

local allowed = only(globals, {
    "_VERSION", "assert", "error", "getmetatable", "ipairs", "next", "pairs", "rawequal", "rawget", "rawlen", "rawset",
    "select", "tonumber", "tostring", "type",
})
allowed._G = globals
allowed.math = only(math, {
    "abs", "acos", "asin", "atan", "ceil", "cos", "deg", "exp", "floor", "fmod", "huge", "log", "max", "maxinteger",
    "min", "mininteger", "modf", "pi", "rad", "random", "sin", "sqrt", "tan", "tointeger", "type", "ult",
})
allowed.string = only(string, {
    "byte", "char", "find", "format", "gmatch", "gsub", "len", "lower", "match", "pack", "packsize", "rep", "reverse",
    "sub", "unpack", "upper",
})
allowed.table = only(table, { "concat", "insert", "move", "pack", "remove", "sort", "unpack" })
allowed.utf8 = only(utf8, { "char", "charpattern", "codepoint", "codes", "len", "offset" })
allowed.os = only(os, { "clock", "date", "difftime", "time" })
allowed.coroutine = only(coroutine, { "close", "isyieldable", "running", "status", "yield" })

function allowed.pcall(...)
    return unless_stopped(pcall(...))
end

function allowed.xpcall(...)
    return unless_stopped(xpcall(...))
end

-- A finalizer would run when no limit is in force.
function allowed.setmetatable(value, metatable)
    if type(metatable) == "table" and rawget(metatable, "__gc") ~= nil then
        error("__gc is not available", 2)
    end
    return setmetatable(value, metatable)
end

-- Each coroutine needs the hook that enforces the limit of processor time.
function allowed.coroutine.create(body)
    local thread = create(body)
    sethook(thread, watch, "", hook_instructions)
    return thread
end

function allowed.coroutine.resume(...)
    return unless_stopped(resume(...))
end

local function checked(is_fine, ...)
    if not is_fine then
        error((...), 0)
    end
    return ...
end

function allowed.coroutine.wrap(body)
    local thread = allowed.coroutine.create(body)
    return function(...)
        return unless_stopped(checked(resume(thread, ...)))
    end
end

local function log(...)
    local parts = {}
    for index = 1, select("#", ...) do
        parts[index] = tostring((select(index, ...)))
        if type(parts[index]) ~= "string" then
            parts[index] = "?"
        end
    end
    local is_fine, problem = host("log", concat(parts, "\t"))
    if not is_fine then
        stop(problem)
    end
end
allowed.print = log

-- Methods of strings are those of the table above. The metatable itself is hidden.
local of_strings = getmetatable("")
of_strings.__index = allowed.string
of_strings.__metatable = false

local function clear(library)
    for name in next, library do
        library[name] = nil
    end
end

for _, library in next, { io, os, debug, package, coroutine, string, table, math, utf8, python } do
    clear(library)
end
clear(globals)
for name, value in next, allowed do
    globals[name] = value
end

-- 3. The context of a call

local arrays = setmetatable({}, { __mode = "k" })

local function is_array(value)
    return arrays[value] == true
end

-- Without the mark, an empty list of JSON would come back as an object.
local function new_array()
    local array = {}
    arrays[array] = true
    return array
end

local function ask(name, arguments)
    local is_fine, value = host(name, arguments)
    if not is_fine then
        -- The functions below end with this call, so the script is the next level.
        error(value, 2)
    end
    return value
end

local function with(options, name, value, level)
    if options ~= nil and type(options) ~= "table" then
        error("the options must be a table", level or 3)
    end
    local merged = {}
    for key, option in next, options or {} do
        merged[key] = option
    end
    merged[name] = value
    return merged
end

local function http(options, url, method)
    local merged = with(options, "url", url, 4)
    merged.method = method or merged.method
    return merged
end

local function new_context(now)
    return {
        now = now,
        log = log,
        search = function(query, options) return ask("search", with(options, "query", query)) end,
        recall = function(query, options) return ask("recall", with(options, "query", query)) end,
        get = function(id) return ask("get", { id = id }) end,
        remember = function(text, options) return ask("remember", with(options, "text", text)) end,
        secret = function(name) return ask("secret", { name = name }) end,
        http = {
            request = function(options) return ask("http", with(options, "url", type(options) == "table" and options.url)) end,
            get = function(url, options) return ask("http", http(options, url, "GET")) end,
            post = function(url, options) return ask("http", http(options, url, "POST")) end,
        },
        json = {
            encode = function(value) return ask("json_encode", { value = value }) end,
            decode = function(text) return ask("json_decode", { text = text }) end,
            array = function(value)
                if type(value) ~= "table" then
                    error("json.array takes a table", 2)
                end
                arrays[value] = true
                return value
            end,
        },
    }
end

-- 4. Running a script

local function table_of(chunk, name)
    local found = chunk()
    if found == nil then
        found = rawget(globals, name)
    end
    if type(found) ~= "table" then
        error("the script must define a table named " .. name .. ", or return one", 0)
    end
    return found
end

local function tool_of(chunk)
    local tool = table_of(chunk, "tool")
    if type(rawget(tool, "execute")) ~= "function" then
        error("tool.execute must be a function: function tool.execute(params, context)", 0)
    end
    return tool
end

local function declared(tool)
    local fields = {}
    for name, value in next, tool do
        if type(value) ~= "function" then
            fields[name] = value
        end
    end
    return fields
end

local function message_of(problem)
    if type(problem) == "string" then
        return problem
    end
    return "the script raised an error that is not a text"
end

local function protected(body)
    started = clock()
    sethook(watch, "", hook_instructions)
    local result = pack(xpcall(body, message_of))
    sethook()
    if stopped then
        return false, result[1] and stopped or result[2], stopped
    end
    return result[1], result[2], nil
end

local function describe(chunk)
    return protected(function() return declared(tool_of(chunk)) end)
end

local function read(chunk, name)
    return protected(function() return table_of(chunk, name) end)
end

local function execute(chunk, parameters, now)
    return protected(function() return tool_of(chunk).execute(parameters, new_context(now)) end)
end

return describe, read, execute, is_array, new_array
