<?xml version="1.0" encoding="utf-8"?>
<!DOCTYPE TS>
<TS version="2.1" language="zh_CN">
    <context>
        <name>Actions</name>
        <message>
            <source>Open a checkpoint…</source>
            <translation>打开检查点…</translation>
        </message>
        <message>
            <source>Try the demo model</source>
            <translation>试用演示模型</translation>
        </message>
        <message>
            <source>Attach to a running engine…</source>
            <translation>连接到运行中的引擎…</translation>
        </message>
        <message>
            <source>Launch</source>
            <translation>启动</translation>
        </message>
        <message>
            <source>Stop</source>
            <translation>停止</translation>
        </message>
        <message>
            <source>Launch again</source>
            <translation>重新启动</translation>
        </message>
        <message>
            <source>Detach, keep the engine running</source>
            <translation>断开，引擎继续运行</translation>
        </message>
        <message>
            <source>Shut the engine down</source>
            <translation>关闭引擎</translation>
        </message>
        <message>
            <source>Search or run a command</source>
            <translation>搜索或执行命令</translation>
        </message>
        <message>
            <source>Settings…</source>
            <translation>设置…</translation>
        </message>
        <message>
            <source>Keys</source>
            <translation>快捷键</translation>
        </message>
        <message>
            <source>Presenter mode</source>
            <translation>演示模式</translation>
        </message>
        <message>
            <source>Dark theme</source>
            <translation>深色主题</translation>
        </message>
        <message>
            <source>Light theme</source>
            <translation>浅色主题</translation>
        </message>
        <message>
            <source>Theme of the desktop</source>
            <translation>跟随桌面主题</translation>
        </message>
        <message>
            <source>Restore default layout</source>
            <translation>恢复默认布局</translation>
        </message>
        <message>
            <source>Copy all findings as text</source>
            <translation>将全部诊断复制为文本</translation>
        </message>
        <message>
            <source>Write a prompt</source>
            <translation>输入提示词</translation>
        </message>
        <message>
            <source>Close the window</source>
            <translation>关闭窗口</translation>
        </message>
    </context>
    <context>
        <name>ContractRow</name>
        <message>
            <source>Matched %1</source>
            <translation>匹配 %1</translation>
        </message>
        <message>
            <source>Missing %1</source>
            <translation>缺失 %1</translation>
        </message>
        <message>
            <source>Ignored %1</source>
            <translation>忽略 %1</translation>
        </message>
        <message>
            <source>Unexpected %1</source>
            <translation>多余 %1</translation>
        </message>
    </context>
    <context>
        <name>Dialogs</name>
        <message>
            <source>Engines are running</source>
            <translation>有引擎正在运行</translation>
        </message>
        <message>
            <source>A loaded model outlives its window. Attach to one to go on where it was left.</source>
            <translation>已加载的模型不随窗口关闭。连接其中一个即可从上次的位置继续。</translation>
        </message>
        <message>
            <source>Running engines</source>
            <translation>运行中的引擎</translation>
        </message>
        <message>
            <source>Not now</source>
            <translation>暂不</translation>
        </message>
        <message>
            <source>Attach</source>
            <translation>连接</translation>
        </message>
        <message>
            <source>Keep the engine running?</source>
            <translation>让引擎继续运行吗？</translation>
        </message>
        <message>
            <source>%1 stays loaded and answers again as soon as a window attaches. Stopping frees its memory.</source>
            <translation>%1 保持加载，窗口再次连接后即可继续回答。停止会释放其内存。</translation>
        </message>
        <message>
            <source>Cancel</source>
            <translation>取消</translation>
        </message>
        <message>
            <source>Stop it</source>
            <translation>停止引擎</translation>
        </message>
        <message>
            <source>Keep it running</source>
            <translation>继续运行</translation>
        </message>
        <message>
            <source>Settings</source>
            <translation>设置</translation>
        </message>
        <message>
            <source>Desktop</source>
            <translation>桌面</translation>
        </message>
        <message>
            <source>Dark</source>
            <translation>深色</translation>
        </message>
        <message>
            <source>Light</source>
            <translation>浅色</translation>
        </message>
        <message>
            <source>Theme</source>
            <translation>主题</translation>
        </message>
        <message>
            <source>Usual</source>
            <translation>标准</translation>
        </message>
        <message>
            <source>Large</source>
            <translation>大</translation>
        </message>
        <message>
            <source>Type size</source>
            <translation>字号</translation>
        </message>
        <message>
            <source>Spacing follows the type size when the window is opened next.</source>
            <translation>间距在下次打开窗口时随字号调整。</translation>
        </message>
        <message>
            <source>Default cluster</source>
            <translation>默认集群</translation>
        </message>
        <message>
            <source>Done</source>
            <translation>完成</translation>
        </message>
        <message>
            <source>Keys</source>
            <translation>快捷键</translation>
        </message>
        <message>
            <source>Send the prompt</source>
            <translation>发送提示词</translation>
        </message>
        <message>
            <source>Leave a field, a menu, presenter mode</source>
            <translation>离开输入框、菜单或演示模式</translation>
        </message>
        <message>
            <source>Close</source>
            <translation>关闭</translation>
        </message>
    </context>
    <context>
        <name>Ledger</name>
        <message>
            <source>Weights</source>
            <translation>权重</translation>
        </message>
        <message>
            <source>Scales</source>
            <translation>缩放因子</translation>
        </message>
        <message>
            <source>KV cache</source>
            <translation>KV 缓存</translation>
        </message>
        <message>
            <source>Fixed state</source>
            <translation>固定状态</translation>
        </message>
        <message>
            <source>Activations</source>
            <translation>激活值</translation>
        </message>
        <message>
            <source>Communication</source>
            <translation>通信</translation>
        </message>
        <message>
            <source>Context</source>
            <translation>上下文</translation>
        </message>
        <message>
            <source>Staging</source>
            <translation>暂存</translation>
        </message>
    </context>
    <context>
        <name>MemoryPanel</name>
        <message>
            <source>Planned</source>
            <translation>计划</translation>
        </message>
    </context>
    <context>
        <name>PlotScale</name>
        <message>
            <source>now</source>
            <translation>现在</translation>
        </message>
        <message>
            <source>%1 s</source>
            <translation>%1 秒</translation>
        </message>
        <message>
            <source>%1 min</source>
            <translation>%1 分钟</translation>
        </message>
        <message>
            <source>%1 h</source>
            <translation>%1 小时</translation>
        </message>
        <message>
            <source>none</source>
            <translation>无</translation>
        </message>
    </context>
    <context>
        <name>PlotStack</name>
        <message>
            <source>In use</source>
            <translation>使用中</translation>
        </message>
    </context>
    <context>
        <name>QObject</name>
        <message>
            <source>Time</source>
            <translation>时间</translation>
        </message>
    </context>
    <context>
        <name>StageRail</name>
        <message>
            <source>Is the checkpoint whole?</source>
            <translation>检查点完整吗？</translation>
        </message>
        <message>
            <source>Cancel check</source>
            <translation>取消检查</translation>
        </message>
        <message>
            <source>Will it fit, and how is it cut?</source>
            <translation>放得下吗，如何切分？</translation>
        </message>
        <message>
            <source>Cancel plan</source>
            <translation>取消规划</translation>
        </message>
        <message>
            <source>Do the ranks find each other?</source>
            <translation>各 rank 能互相找到吗？</translation>
        </message>
        <message>
            <source>Cancel launch</source>
            <translation>取消启动</translation>
        </message>
        <message>
            <source>Right bytes, right device?</source>
            <translation>字节与设备都对吗？</translation>
        </message>
        <message>
            <source>Cancel load</source>
            <translation>取消加载</translation>
        </message>
        <message>
            <source>Is it right?</source>
            <translation>结果正确吗？</translation>
        </message>
        <message>
            <source>Cancel validation</source>
            <translation>取消验证</translation>
        </message>
        <message>
            <source>How fast, and is that good?</source>
            <translation>多快，够好吗？</translation>
        </message>
        <message>
            <source>What does it say?</source>
            <translation>它怎么回答？</translation>
        </message>
    </context>
    <context>
        <name>State</name>
        <message>
            <source>not started</source>
            <translation>未开始</translation>
        </message>
        <message>
            <source>running</source>
            <translation>进行中</translation>
        </message>
        <message>
            <source>passed</source>
            <translation>通过</translation>
        </message>
        <message>
            <source>warning</source>
            <translation>警告</translation>
        </message>
        <message>
            <source>failed</source>
            <translation>失败</translation>
        </message>
        <message>
            <source>stale</source>
            <translation>已过期</translation>
        </message>
        <message>
            <source>stopped</source>
            <translation>已停止</translation>
        </message>
        <message>
            <source>note</source>
            <translation>提示</translation>
        </message>
    </context>
    <context>
        <name>Topology</name>
        <message>
            <source>%1 %</source>
            <translation>%1 %</translation>
        </message>
        <message>
            <source>%1°</source>
            <translation>%1°</translation>
        </message>
        <message>
            <source>none</source>
            <translation>无</translation>
        </message>
        <message>
            <source>planned</source>
            <translation>已规划</translation>
        </message>
        <message>
            <source>waits</source>
            <translation>等待</translation>
        </message>
        <message>
            <source>silent %1</source>
            <translation>无响应 %1</translation>
        </message>
        <message>
            <source>died %1</source>
            <translation>退出于 %1</translation>
        </message>
        <message>
            <source>free</source>
            <translation>空闲</translation>
        </message>
        <message>
            <source>Fabric</source>
            <translation>网络结构</translation>
        </message>
        <message>
            <source>network</source>
            <translation>网络</translation>
        </message>
        <message>
            <source>GB/s</source>
            <translation>GB/s</translation>
        </message>
        <message>
            <source>no cards</source>
            <translation>无卡</translation>
        </message>
        <message>
            <source>%1 × %2</source>
            <translation>%1 × %2</translation>
        </message>
        <message>
            <source>PP %1 · layers %2</source>
            <translation>PP %1 · 层 %2</translation>
        </message>
        <message>
            <source>Memory</source>
            <translation>内存</translation>
        </message>
        <message>
            <source>%1 not formed</source>
            <translation>%1 未建立</translation>
        </message>
        <message>
            <source>%1 formed in %2</source>
            <translation>%1 建立用时 %2</translation>
        </message>
        <message>
            <source>%1 of %2 GB/s</source>
            <translation>%1 / %2 GB/s</translation>
        </message>
        <message>
            <source>%1 GB/s</source>
            <translation>%1 GB/s</translation>
        </message>
        <message>
            <source>%1 GB/s nominal</source>
            <translation>标称 %1 GB/s</translation>
        </message>
        <message>
            <source>× %1</source>
            <translation>× %1</translation>
        </message>
        <message>
            <source>%1 of %2</source>
            <translation>%1 / %2</translation>
        </message>
        <message>
            <source>Peak</source>
            <translation>峰值</translation>
        </message>
        <message>
            <source>Resident</source>
            <translation>常驻</translation>
        </message>
        <message>
            <source>Planned</source>
            <translation>计划</translation>
        </message>
        <message>
            <source>Busy</source>
            <translation>利用率</translation>
        </message>
        <message>
            <source>State</source>
            <translation>状态</translation>
        </message>
        <message>
            <source>Process</source>
            <translation>进程</translation>
        </message>
        <message>
            <source>Stage</source>
            <translation>阶段</translation>
        </message>
        <message>
            <source>PP %1, TP %2</source>
            <translation>PP %1，TP %2</translation>
        </message>
        <message>
            <source>Layers</source>
            <translation>层</translation>
        </message>
        <message>
            <source>Loaded</source>
            <translation>已加载</translation>
        </message>
        <message>
            <source>Inside</source>
            <translation>位于</translation>
        </message>
        <message>
            <source>Gb/s per node</source>
            <translation>Gb/s 每节点</translation>
        </message>
    </context>
    <context>
        <name>fl::client::EngineProcess</name>
        <message>
            <source>%1 cannot be started</source>
            <translation>无法启动 %1</translation>
        </message>
        <message>
            <source>the engine %1 ended while it started</source>
            <translation>引擎 %1 在启动时退出</translation>
        </message>
        <message>
            <source>the engine %1 did not open its socket within %2 s</source>
            <translation>引擎 %1 在 %2 秒内没有打开套接字</translation>
        </message>
    </context>
    <context>
        <name>fl::models::CensusModel</name>
        <message>
            <source>%1 GB</source>
            <translation>%1 GB</translation>
        </message>
        <message>
            <source>%1 MB</source>
            <translation>%1 MB</translation>
        </message>
        <message>
            <source>1 file</source>
            <translation>1 个文件</translation>
        </message>
        <message>
            <source>%1 files</source>
            <translation>%1 个文件</translation>
        </message>
        <message>
            <source>%1, %2 (%3)</source>
            <translation>%1，%2（%3）</translation>
        </message>
        <message>
            <source>parameters %1</source>
            <translation>参数 %1</translation>
        </message>
        <message>
            <source>parameters %1, active %2</source>
            <translation>参数 %1，激活 %2</translation>
        </message>
    </context>
    <context>
        <name>fl::models::ChatModel</name>
        <message>
            <source>waits for the first token</source>
            <translation>等待首个词元</translation>
        </message>
        <message>
            <source>streaming</source>
            <translation>生成中</translation>
        </message>
        <message>
            <source>stopped</source>
            <translation>已停止</translation>
        </message>
        <message>
            <source>failed</source>
            <translation>失败</translation>
        </message>
        <message>
            <source>ended at its length limit</source>
            <translation>达到长度上限</translation>
        </message>
        <message>
            <source>%1 tokens</source>
            <translation>%1 个词元</translation>
        </message>
        <message>
            <source>TTFT %1</source>
            <translation>首词延迟 %1</translation>
        </message>
        <message>
            <source>%1 tok/s</source>
            <translation>%1 词元/秒</translation>
        </message>
        <message>
            <source>prompt %1 tokens</source>
            <translation>提示词 %1 个词元</translation>
        </message>
    </context>
    <context>
        <name>fl::models::FindingModel</name>
        <message>
            <source>expected %1</source>
            <translation>应为 %1</translation>
        </message>
        <message>
            <source>found %1</source>
            <translation>实为 %1</translation>
        </message>
        <message>
            <source>%1 ×</source>
            <translation>%1 ×</translation>
        </message>
        <message>
            <source>%1: %2</source>
            <translation>%1：%2</translation>
        </message>
    </context>
    <context>
        <name>fl::models::PlanCompareModel</name>
        <message>
            <source>Property</source>
            <translation>属性</translation>
        </message>
        <message>
            <source>Difference</source>
            <translation>差异</translation>
        </message>
        <message>
            <source>not known</source>
            <translation>未知</translation>
        </message>
        <message>
            <source>Tensor parallel</source>
            <translation>张量并行</translation>
        </message>
        <message>
            <source>Pipeline stages</source>
            <translation>流水线级数</translation>
        </message>
        <message>
            <source>Expert parallel</source>
            <translation>专家并行</translation>
        </message>
        <message>
            <source>Data parallel</source>
            <translation>数据并行</translation>
        </message>
        <message>
            <source>Ranks</source>
            <translation>Rank 数</translation>
        </message>
        <message>
            <source>Rank order</source>
            <translation>Rank 顺序</translation>
        </message>
        <message>
            <source>Layers per stage</source>
            <translation>每级层数</translation>
        </message>
        <message>
            <source>Longest context</source>
            <translation>最长上下文</translation>
        </message>
        <message>
            <source>Sequences at once</source>
            <translation>同时序列数</translation>
        </message>
        <message>
            <source>KV cache</source>
            <translation>KV 缓存</translation>
        </message>
        <message>
            <source>Compute</source>
            <translation>计算精度</translation>
        </message>
        <message>
            <source>Violated rules</source>
            <translation>违反的规则</translation>
        </message>
        <message>
            <source>Fullest rank</source>
            <translation>最满的 rank</translation>
        </message>
        <message>
            <source>Least free</source>
            <translation>最少空闲</translation>
        </message>
        <message>
            <source>Weights a rank</source>
            <translation>每 rank 权重</translation>
        </message>
        <message>
            <source>Scales a rank</source>
            <translation>每 rank 缩放因子</translation>
        </message>
        <message>
            <source>KV cache a rank</source>
            <translation>每 rank KV 缓存</translation>
        </message>
        <message>
            <source>State a rank</source>
            <translation>每 rank 状态</translation>
        </message>
        <message>
            <source>Activations a rank</source>
            <translation>每 rank 激活</translation>
        </message>
        <message>
            <source>Communication a rank</source>
            <translation>每 rank 通信</translation>
        </message>
        <message>
            <source>Step, predicted</source>
            <translation>每步（预测）</translation>
        </message>
        <message>
            <source>Bound by</source>
            <translation>瓶颈</translation>
        </message>
        <message>
            <source>Communication of it</source>
            <translation>其中通信</translation>
        </message>
        <message>
            <source>Prefill of a chunk</source>
            <translation>一块预填充</translation>
        </message>
        <message>
            <source>Tokens a second</source>
            <translation>每秒词元</translation>
        </message>
    </context>
    <context>
        <name>fl::models::PlanModel</name>
        <message>
            <source>not known</source>
            <translation>未知</translation>
        </message>
        <message>
            <source>in use</source>
            <translation>使用中</translation>
        </message>
        <message>
            <source>over budget</source>
            <translation>超出预算</translation>
        </message>
        <message>
            <source>Plan</source>
            <translation>规划</translation>
        </message>
        <message>
            <source>Peak %1</source>
            <translation>峰值 %1</translation>
        </message>
        <message>
            <source>Step ms</source>
            <translation>步 ms</translation>
        </message>
    </context>
    <context>
        <name>fl::models::RankModel</name>
        <message>
            <source>Rank %1 fell silent during %2: %3, %4 after its start</source>
            <translation>rank %1 在%2时失去响应：%3，启动后 %4</translation>
        </message>
        <message>
            <source>Rank %1 died during %2: %3, %4 after its start</source>
            <translation>rank %1 在%2时退出：%3，启动后 %4</translation>
        </message>
        <message>
            <source>silent</source>
            <translation>无响应</translation>
        </message>
        <message>
            <source>exit %1</source>
            <translation>退出码 %1</translation>
        </message>
        <message>
            <source>lost</source>
            <translation>丢失</translation>
        </message>
        <message>
            <source>starts</source>
            <translation>启动中</translation>
        </message>
        <message>
            <source>joins</source>
            <translation>加入中</translation>
        </message>
        <message>
            <source>device</source>
            <translation>设备</translation>
        </message>
        <message>
            <source>groups</source>
            <translation>建组</translation>
        </message>
        <message>
            <source>tests</source>
            <translation>测试</translation>
        </message>
        <message>
            <source>ready</source>
            <translation>就绪</translation>
        </message>
        <message>
            <source>loads</source>
            <translation>加载中</translation>
        </message>
        <message>
            <source>loaded</source>
            <translation>已加载</translation>
        </message>
        <message>
            <source>serves</source>
            <translation>服务中</translation>
        </message>
        <message>
            <source>stopped</source>
            <translation>已停止</translation>
        </message>
        <message>
            <source>planned</source>
            <translation>已规划</translation>
        </message>
        <message>
            <source>%1 %</source>
            <translation>%1 %</translation>
        </message>
        <message>
            <source>none</source>
            <translation>无</translation>
        </message>
        <message>
            <source>Rank</source>
            <translation>Rank</translation>
        </message>
        <message>
            <source>Host</source>
            <translation>主机</translation>
        </message>
        <message>
            <source>Phase</source>
            <translation>阶段</translation>
        </message>
        <message>
            <source>Loaded</source>
            <translation>已加载</translation>
        </message>
        <message>
            <source>Collective</source>
            <translation>集合通信</translation>
        </message>
    </context>
    <context>
        <name>fl::models::SavedPlanModel</name>
        <message>
            <source>%1, saved at %2</source>
            <translation>%1，保存于 %2</translation>
        </message>
        <message>
            <source>not known</source>
            <translation>未知</translation>
        </message>
        <message>
            <source>Saved</source>
            <translation>已保存</translation>
        </message>
        <message>
            <source>Plan</source>
            <translation>规划</translation>
        </message>
        <message>
            <source>Peak</source>
            <translation>峰值</translation>
        </message>
        <message>
            <source>Step</source>
            <translation>步</translation>
        </message>
    </context>
    <context>
        <name>fl::models::ShardModel</name>
        <message>
            <source>File</source>
            <translation>文件</translation>
        </message>
        <message>
            <source>Bytes</source>
            <translation>字节</translation>
        </message>
        <message>
            <source>Tensors</source>
            <translation>张量</translation>
        </message>
        <message>
            <source>State</source>
            <translation>状态</translation>
        </message>
    </context>
    <context>
        <name>fl::models::SliceModel</name>
        <message>
            <source>experts %1</source>
            <translation>专家 %1</translation>
        </message>
        <message>
            <source>rows %1</source>
            <translation>行 %1</translation>
        </message>
        <message>
            <source>columns %1</source>
            <translation>列 %1</translation>
        </message>
        <message>
            <source>whole</source>
            <translation>完整</translation>
        </message>
        <message>
            <source>Tensor</source>
            <translation>张量</translation>
        </message>
        <message>
            <source>Cut</source>
            <translation>切分</translation>
        </message>
        <message>
            <source>Type</source>
            <translation>类型</translation>
        </message>
        <message>
            <source>Bytes</source>
            <translation>字节</translation>
        </message>
    </context>
    <context>
        <name>fl::models::StageModel</name>
        <message>
            <source>%1: %2</source>
            <translation>%1：%2</translation>
        </message>
        <message>
            <source>Inspect</source>
            <translation>检查</translation>
        </message>
        <message>
            <source>Plan</source>
            <translation>规划</translation>
        </message>
        <message>
            <source>Launch</source>
            <translation>启动</translation>
        </message>
        <message>
            <source>Load</source>
            <translation>加载</translation>
        </message>
        <message>
            <source>Validate</source>
            <translation>验证</translation>
        </message>
        <message>
            <source>Baseline</source>
            <translation>基线</translation>
        </message>
        <message>
            <source>Probe</source>
            <translation>试探</translation>
        </message>
    </context>
    <context>
        <name>fl::models::TensorTreeModel</name>
        <message>
            <source>scalar</source>
            <translation>标量</translation>
        </message>
        <message>
            <source>experts</source>
            <translation>专家</translation>
        </message>
        <message>
            <source>dense</source>
            <translation>稠密</translation>
        </message>
        <message numerus="yes">
            <source>%n alike</source>
            <translation>
                <numerusform>%n 个相同</numerusform>
            </translation>
        </message>
        <message>
            <source>mixed</source>
            <translation>混合</translation>
        </message>
        <message>
            <source>Name</source>
            <translation>名称</translation>
        </message>
        <message>
            <source>Type</source>
            <translation>类型</translation>
        </message>
        <message>
            <source>Shape</source>
            <translation>形状</translation>
        </message>
        <message>
            <source>Tensors</source>
            <translation>张量</translation>
        </message>
        <message>
            <source>Bytes</source>
            <translation>字节</translation>
        </message>
        <message>
            <source>Shard</source>
            <translation>分片</translation>
        </message>
        <message>
            <source>none</source>
            <translation>无</translation>
        </message>
    </context>
    <context>
        <name>fl::models::TopologyModel</name>
        <message>
            <source>%1: ranks %2</source>
            <translation>%1：rank %2</translation>
        </message>
        <message>
            <source> inside %1</source>
            <translation>，位于 %1 内</translation>
        </message>
        <message>
            <source> across %1 nodes</source>
            <translation>，跨 %1 个节点</translation>
        </message>
        <message>
            <source>, planned</source>
            <translation>，已规划</translation>
        </message>
        <message>
            <source>, not formed</source>
            <translation>，未建立</translation>
        </message>
        <message>
            <source>, all-reduce %1 in %2</source>
            <translation>，all-reduce %1 用时 %2</translation>
        </message>
        <message>
            <source>, ring %1</source>
            <translation>，环 %1</translation>
        </message>
        <message>
            <source>, formed in %1</source>
            <translation>，建立用时 %1</translation>
        </message>
        <message>
            <source>, crosses a slow link: %1 of a step</source>
            <translation>，经过慢链路：占每步 %1</translation>
        </message>
    </context>
    <context>
        <name>fl::panels::CellView</name>
        <message>
            <source>Parts of the chosen cell</source>
            <translation>所选格子的组成</translation>
        </message>
        <message>
            <source>%1: %2 experts, %3 other tensors</source>
            <translation>%1：%2 个专家，%3 个其他张量</translation>
        </message>
        <message>
            <source>experts %1–%2</source>
            <translation>专家 %1–%2</translation>
        </message>
    </context>
    <context>
        <name>fl::panels::ChatPanel</name>
        <message>
            <source>Chat</source>
            <translation>对话</translation>
        </message>
        <message>
            <source>Tokens</source>
            <translation>词元</translation>
        </message>
        <message>
            <source>Text</source>
            <translation>文本</translation>
        </message>
        <message>
            <source>How answers are shown</source>
            <translation>回答的显示方式</translation>
        </message>
        <message>
            <source>Sampling and system prompt</source>
            <translation>采样与系统提示词</translation>
        </message>
        <message>
            <source>Rendered prompt</source>
            <translation>渲染后的提示词</translation>
        </message>
        <message>
            <source>What the template makes of the next question stands here</source>
            <translation>这里显示模板对下一个问题的渲染结果</translation>
        </message>
        <message>
            <source>The model answers here once Load has passed</source>
            <translation>加载通过后，模型在这里回答</translation>
        </message>
        <message>
            <source>Until then you can write what to ask first.</source>
            <translation>在此之前可以先写好要问的问题。</translation>
        </message>
        <message>
            <source>Point at any token of an answer for its probability and what nearly came instead.</source>
            <translation>指向回答中的任一词元，查看其概率和差一点出现的其他词元。</translation>
        </message>
        <message>
            <source>Edit a message to ask again from there.</source>
            <translation>编辑一条消息，从那里重新提问。</translation>
        </message>
        <message>
            <source>The model is ready</source>
            <translation>模型已就绪</translation>
        </message>
        <message>
            <source>Ask something whose answer you know.</source>
            <translation>问一个你知道答案的问题。</translation>
        </message>
        <message>
            <source>What is the capital of France?</source>
            <translation>法国的首都是哪里？</translation>
        </message>
        <message>
            <source>Write one sentence about the Moon.</source>
            <translation>写一句关于月亮的话。</translation>
        </message>
        <message>
            <source>Conversation</source>
            <translation>会话</translation>
        </message>
        <message>
            <source>Chat: begin a new conversation</source>
            <translation>对话：开始新会话</translation>
        </message>
        <message>
            <source>Chat: write a prompt</source>
            <translation>对话：输入提示词</translation>
        </message>
        <message>
            <source>Waits for Load</source>
            <translation>等待加载</translation>
        </message>
    </context>
    <context>
        <name>fl::panels::CheckpointPanel</name>
        <message>
            <source>Worst of files</source>
            <translation>以下文件中最差者</translation>
        </message>
        <message>
            <source>%1 to %2</source>
            <translation>%1 至 %2</translation>
        </message>
        <message>
            <source>Shards</source>
            <translation>分片</translation>
        </message>
        <message>
            <source>No checkpoint open</source>
            <translation>未打开检查点</translation>
        </message>
        <message>
            <source>Its files, its tensors and whether they are what the recipe expects are shown here. Nothing is loaded for that.</source>
            <translation>这里显示其文件、张量，以及它们是否符合配方的预期。为此无需加载任何内容。</translation>
        </message>
        <message>
            <source>Open a checkpoint…</source>
            <translation>打开检查点…</translation>
        </message>
        <message>
            <source>Try the demo model</source>
            <translation>试用演示模型</translation>
        </message>
        <message>
            <source>Tensors</source>
            <translation>张量</translation>
        </message>
        <message>
            <source>Search names</source>
            <translation>搜索名称</translation>
        </message>
        <message>
            <source>Search tensors</source>
            <translation>搜索张量</translation>
        </message>
        <message>
            <source>Tensors of the checkpoint</source>
            <translation>检查点的张量</translation>
        </message>
        <message>
            <source>%1 equal layers</source>
            <translation>%1 个相同的层</translation>
        </message>
        <message>
            <source>%1 layers in %2 kinds</source>
            <translation>%1 个层，%2 种</translation>
        </message>
        <message>
            <source>%1 tensors, %2</source>
            <translation>%1 个张量，%2</translation>
        </message>
        <message>
            <source>checked %1</source>
            <translation>已检查 %1</translation>
        </message>
        <message>
            <source>read %1</source>
            <translation>已读取 %1</translation>
        </message>
        <message>
            <source>reading %1</source>
            <translation>读取中 %1</translation>
        </message>
        <message>
            <source>waiting %1</source>
            <translation>等待 %1</translation>
        </message>
        <message>
            <source>1 warning</source>
            <translation>1 个警告</translation>
        </message>
        <message>
            <source>%1 warnings</source>
            <translation>%1 个警告</translation>
        </message>
        <message>
            <source>%1 broken</source>
            <translation>%1 个损坏</translation>
        </message>
        <message>
            <source>no hit</source>
            <translation>无匹配</translation>
        </message>
        <message>
            <source>%1 of %2</source>
            <translation>%1 / %2</translation>
        </message>
        <message>
            <source>Bytes</source>
            <translation>字节</translation>
        </message>
        <message>
            <source>Checkpoint</source>
            <translation>检查点</translation>
        </message>
        <message>
            <source>The tensors are not known: %1</source>
            <translation>张量未知：%1</translation>
        </message>
        <message>
            <source>%1 of %2 tensors listed</source>
            <translation>已列出 %1 / %2 个张量</translation>
        </message>
        <message>
            <source>Write a recipe skeleton…</source>
            <translation>编写配方骨架…</translation>
        </message>
        <message>
            <source>none</source>
            <translation>无</translation>
        </message>
        <message>
            <source>No recipe knows this architecture</source>
            <translation>没有配方认识此架构</translation>
        </message>
        <message>
            <source>%1, a copy of %2: it reads %3 tensor names and %4 keys; %5 names and %6 keys are new to it.</source>
            <translation>%1，复制自 %2：可读取 %3 个张量名和 %4 个键；另有 %5 个张量名和 %6 个键是新的。</translation>
        </message>
        <message>
            <source>The contract runs again whenever %1 is saved</source>
            <translation>每次保存 %1 都会重新核对约定</translation>
        </message>
        <message>
            <source>Open in editor</source>
            <translation>在编辑器中打开</translation>
        </message>
    </context>
    <context>
        <name>fl::panels::CompareView</name>
        <message>
            <source>First plan</source>
            <translation>第一个方案</translation>
        </message>
        <message>
            <source>Second plan</source>
            <translation>第二个方案</translation>
        </message>
        <message>
            <source>Two plans compared</source>
            <translation>两个方案的对比</translation>
        </message>
        <message>
            <source>No difference shown</source>
            <translation>未见差异</translation>
        </message>
        <message>
            <source>%1 of %2 properties differ; ▲ better, ▼ worse, ≠ other</source>
            <translation>%2 项属性中有 %1 项不同；▲ 更好，▼ 更差，≠ 不同</translation>
        </message>
    </context>
    <context>
        <name>fl::panels::Composer</name>
        <message>
            <source>Send</source>
            <translation>发送</translation>
        </message>
        <message>
            <source>Stop</source>
            <translation>停止</translation>
        </message>
        <message>
            <source>Prompt</source>
            <translation>提示词</translation>
        </message>
        <message>
            <source>Write a prompt</source>
            <translation>输入提示词</translation>
        </message>
        <message>
            <source>Stop the answer</source>
            <translation>停止回答</translation>
        </message>
        <message>
            <source>Ctrl+Enter</source>
            <translation>Ctrl+Enter</translation>
        </message>
        <message>
            <source>Write a prompt first</source>
            <translation>请先输入提示词</translation>
        </message>
    </context>
    <context>
        <name>fl::panels::ContractRow</name>
        <message>
            <source>Contract of recipe %1</source>
            <translation>配方 %1 的约定</translation>
        </message>
        <message>
            <source>broken</source>
            <translation>不符</translation>
        </message>
        <message>
            <source>whole</source>
            <translation>完整</translation>
        </message>
        <message>
            <source>There are none</source>
            <translation>没有</translation>
        </message>
        <message>
            <source>Show these tensors alone, or all again</source>
            <translation>只显示这些张量，或重新显示全部</translation>
        </message>
        <message>
            <source>No recipe, so no contract</source>
            <translation>没有配方，因此没有约定</translation>
        </message>
    </context>
    <context>
        <name>fl::panels::FindingRow</name>
        <message>
            <source>Launch again</source>
            <translation>重新启动</translation>
        </message>
        <message>
            <source>Show evidence</source>
            <translation>显示证据</translation>
        </message>
        <message>
            <source>also %1</source>
            <translation>另有 %1</translation>
        </message>
    </context>
    <context>
        <name>fl::panels::FindingsPanel</name>
        <message>
            <source>Findings: copy as text</source>
            <translation>诊断：复制为文本</translation>
        </message>
        <message>
            <source>Copy as text</source>
            <translation>复制为文本</translation>
        </message>
        <message>
            <source>No findings</source>
            <translation>没有诊断</translation>
        </message>
        <message>
            <source>Each problem stands here with its evidence and its remedy.</source>
            <translation>每个问题连同证据和补救办法列在这里。</translation>
        </message>
        <message>
            <source>1 error</source>
            <translation>1 个错误</translation>
        </message>
        <message>
            <source>%1 errors</source>
            <translation>%1 个错误</translation>
        </message>
        <message>
            <source>1 warning</source>
            <translation>1 个警告</translation>
        </message>
        <message>
            <source>%1 warnings</source>
            <translation>%1 个警告</translation>
        </message>
        <message>
            <source>1 note</source>
            <translation>1 条提示</translation>
        </message>
        <message>
            <source>%1 notes</source>
            <translation>%1 条提示</translation>
        </message>
        <message>
            <source>%1 more; copy as text has all of them</source>
            <translation>另有 %1 条；“复制为文本”包含全部</translation>
        </message>
        <message>
            <source>Findings</source>
            <translation>诊断</translation>
        </message>
    </context>
    <context>
        <name>fl::panels::HistogramView</name>
        <message>
            <source>Histogram of the chosen tensor</source>
            <translation>所选张量的直方图</translation>
        </message>
        <message>
            <source>Values from %1 to %2</source>
            <translation>值从 %1 到 %2</translation>
        </message>
        <message>
            <source>value, as stored</source>
            <translation>存储的值</translation>
        </message>
    </context>
    <context>
        <name>fl::panels::LatencyPanel</name>
        <message>
            <source>ms</source>
            <translation>ms</translation>
        </message>
        <message>
            <source>What is measured</source>
            <translation>测量内容</translation>
        </message>
        <message>
            <source>Step</source>
            <translation>步</translation>
        </message>
        <message>
            <source>ITL</source>
            <translation>词间延迟</translation>
        </message>
        <message>
            <source>TTFT</source>
            <translation>首词延迟</translation>
        </message>
        <message>
            <source>Latency over time</source>
            <translation>延迟随时间变化</translation>
        </message>
        <message>
            <source>Nothing has run yet</source>
            <translation>尚未运行</translation>
        </message>
        <message>
            <source>Times appear here with the first answer.</source>
            <translation>有了第一个回答后，这里显示耗时。</translation>
        </message>
        <message>
            <source>Go to the chat</source>
            <translation>前往对话</translation>
        </message>
        <message>
            <source>2 min</source>
            <translation>2 分钟</translation>
        </message>
        <message>
            <source>How much of the run is shown</source>
            <translation>显示运行的多长部分</translation>
        </message>
        <message>
            <source>1 min</source>
            <translation>1 分钟</translation>
        </message>
        <message>
            <source>10 min</source>
            <translation>10 分钟</translation>
        </message>
        <message>
            <source>1 h</source>
            <translation>1 小时</translation>
        </message>
        <message>
            <source>Whole run</source>
            <translation>整个运行</translation>
        </message>
        <message>
            <source>Latency: live</source>
            <translation>延迟：实时</translation>
        </message>
        <message>
            <source>Latency: export as CSV or PNG…</source>
            <translation>延迟：导出为 CSV 或 PNG…</translation>
        </message>
        <message>
            <source>ms, p50 %1, p99 %2</source>
            <translation>ms，p50 %1，p99 %2</translation>
        </message>
        <message>
            <source>Waits for the first answer</source>
            <translation>等待第一个回答</translation>
        </message>
        <message>
            <source>Export latency</source>
            <translation>导出延迟</translation>
        </message>
        <message>
            <source>Table (*.csv)</source>
            <translation>表格 (*.csv)</translation>
        </message>
        <message>
            <source>Picture (*.png)</source>
            <translation>图片 (*.png)</translation>
        </message>
        <message>
            <source>%1 cannot be written</source>
            <translation>无法写入 %1</translation>
        </message>
        <message>
            <source>Latency</source>
            <translation>延迟</translation>
        </message>
    </context>
    <context>
        <name>fl::panels::LedgerStack</name>
        <message>
            <source>Ledger of each rank</source>
            <translation>每个 rank 的账目</translation>
        </message>
        <message>
            <source>r%1 %2 of %3</source>
            <translation>r%1 %2 / %3</translation>
        </message>
        <message>
            <source>%1 over</source>
            <translation>超出 %1</translation>
        </message>
        <message>
            <source>%1 free</source>
            <translation>空闲 %1</translation>
        </message>
        <message>
            <source>budget %1</source>
            <translation>预算 %1</translation>
        </message>
        <message>
            <source>%1 per rank, planned</source>
            <translation>每个 rank %1，计划</translation>
        </message>
        <message>
            <source>%1: planned, measured</source>
            <translation>%1：计划，实测</translation>
        </message>
        <message>
            <source>%1 planned, tick: measured</source>
            <translation>%1 计划，刻线：实测</translation>
        </message>
    </context>
    <context>
        <name>fl::panels::LogPanel</name>
        <message>
            <source>Log lines</source>
            <translation>日志行</translation>
        </message>
        <message>
            <source>No lines yet</source>
            <translation>尚无日志</translation>
        </message>
        <message>
            <source>What the engine and each rank say comes here, merged by time.</source>
            <translation>引擎和各 rank 的日志按时间合并显示在这里。</translation>
        </message>
        <message>
            <source>The filters hide every line</source>
            <translation>筛选条件隐藏了所有行</translation>
        </message>
        <message>
            <source>Rank, level and words are chosen above.</source>
            <translation>rank、级别和词语在上方选择。</translation>
        </message>
        <message>
            <source>Show all</source>
            <translation>显示全部</translation>
        </message>
        <message>
            <source>First error</source>
            <translation>首个错误</translation>
        </message>
        <message>
            <source>Go to the first error of this run</source>
            <translation>跳到本次运行的首个错误</translation>
        </message>
        <message>
            <source>Live</source>
            <translation>实时</translation>
        </message>
        <message>
            <source>Follow the newest line again</source>
            <translation>重新跟随最新一行</translation>
        </message>
        <message>
            <source>Rank</source>
            <translation>Rank</translation>
        </message>
        <message>
            <source>Least level</source>
            <translation>最低级别</translation>
        </message>
        <message>
            <source>All levels</source>
            <translation>所有级别</translation>
        </message>
        <message>
            <source>Info</source>
            <translation>信息</translation>
        </message>
        <message>
            <source>Warning</source>
            <translation>警告</translation>
        </message>
        <message>
            <source>Error</source>
            <translation>错误</translation>
        </message>
        <message>
            <source>Filter, -word</source>
            <translation>筛选，-排除词</translation>
        </message>
        <message>
            <source>Filter by words</source>
            <translation>按词语筛选</translation>
        </message>
        <message>
            <source>Log: copy the chosen lines</source>
            <translation>日志：复制所选行</translation>
        </message>
        <message>
            <source>Log: go to the first error</source>
            <translation>日志：跳到首个错误</translation>
        </message>
        <message>
            <source>All ranks</source>
            <translation>所有 rank</translation>
        </message>
        <message>
            <source>Control</source>
            <translation>控制</translation>
        </message>
        <message>
            <source>Rank %1</source>
            <translation>rank %1</translation>
        </message>
        <message>
            <source>Log</source>
            <translation>日志</translation>
        </message>
    </context>
    <context>
        <name>fl::panels::MemoryPanel</name>
        <message>
            <source>Show memory over time</source>
            <translation>显示内存随时间变化</translation>
        </message>
        <message>
            <source>Memory of each rank</source>
            <translation>每个 rank 的内存</translation>
        </message>
        <message>
            <source>Memory over time</source>
            <translation>内存随时间变化</translation>
        </message>
        <message>
            <source>No plan yet</source>
            <translation>尚无方案</translation>
        </message>
        <message>
            <source>What each rank holds stands here beside its plan and its budget.</source>
            <translation>这里显示每个 rank 的占用，以及计划和预算。</translation>
        </message>
        <message>
            <source>Open a checkpoint…</source>
            <translation>打开检查点…</translation>
        </message>
        <message>
            <source>Memory: now or over time</source>
            <translation>内存：当前或随时间变化</translation>
        </message>
        <message>
            <source>Show memory as it is now</source>
            <translation>显示当前内存</translation>
        </message>
        <message>
            <source>budget %1</source>
            <translation>预算 %1</translation>
        </message>
        <message>
            <source>Rank %1 holds %2, its budget is %3</source>
            <translation>rank %1 占用 %2，预算为 %3</translation>
        </message>
        <message>
            <source>Rank %1 would hold %2, its budget is %3</source>
            <translation>rank %1 将占用 %2，预算为 %3</translation>
        </message>
        <message>
            <source>Memory</source>
            <translation>内存</translation>
        </message>
        <message>
            <source>%1, planned</source>
            <translation>%1，计划值</translation>
        </message>
    </context>
    <context>
        <name>fl::panels::MessageView</name>
        <message>
            <source>You</source>
            <translation>你</translation>
        </message>
        <message>
            <source>System</source>
            <translation>系统</translation>
        </message>
        <message>
            <source>Model</source>
            <translation>模型</translation>
        </message>
        <message>
            <source>Copy the text</source>
            <translation>复制文本</translation>
        </message>
        <message>
            <source>Edit and ask again from here</source>
            <translation>编辑并从这里重新提问</translation>
        </message>
        <message>
            <source>Answer again</source>
            <translation>重新回答</translation>
        </message>
        <message>
            <source>id %L1 · position %L2</source>
            <translation>编号 %L1 · 位置 %L2</translation>
        </message>
        <message>
            <source>%1: %2</source>
            <translation>%1：%2</translation>
        </message>
    </context>
    <context>
        <name>fl::panels::PlacementMap</name>
        <message>
            <source>Placement map, layers by ranks</source>
            <translation>放置图，层 × rank</translation>
        </message>
        <message>
            <source>embed</source>
            <translation>嵌入</translation>
        </message>
        <message>
            <source>head</source>
            <translation>输出头</translation>
        </message>
        <message>
            <source>layer %1</source>
            <translation>层 %1</translation>
        </message>
        <message>
            <source>bytes a layer and rank</source>
            <translation>每层每 rank 的字节</translation>
        </message>
        <message>
            <source>%1 layers, %2 ranks. Arrow keys choose a cell, plus and minus zoom, 0 shows all.</source>
            <translation>%1 层，%2 个 rank。方向键选择格子，加减号缩放，0 显示全部。</translation>
        </message>
        <message>
            <source>what the cells hold is being asked for</source>
            <translation>正在请求格子的内容</translation>
        </message>
    </context>
    <context>
        <name>fl::panels::PlacementPanel</name>
        <message>
            <source>No plan yet</source>
            <translation>尚无方案</translation>
        </message>
        <message>
            <source>Once a checkpoint is inspected, this shows which rank holds which layer, what that takes of each card, and what other cuts would do.</source>
            <translation>检查检查点之后，这里显示哪个 rank 持有哪一层、占用每张卡多少，以及其他切分的效果。</translation>
        </message>
        <message>
            <source>Open a checkpoint…</source>
            <translation>打开检查点…</translation>
        </message>
        <message>
            <source>Colour by</source>
            <translation>着色依据</translation>
        </message>
        <message>
            <source>What the colours mean</source>
            <translation>颜色的含义</translation>
        </message>
        <message>
            <source>Bytes</source>
            <translation>字节</translation>
        </message>
        <message>
            <source>Kind</source>
            <translation>种类</translation>
        </message>
        <message>
            <source>Dtype</source>
            <translation>数据类型</translation>
        </message>
        <message>
            <source>What stands beside the map</source>
            <translation>图旁的内容</translation>
        </message>
        <message>
            <source>Ledger</source>
            <translation>账目</translation>
        </message>
        <message>
            <source>Plans</source>
            <translation>方案</translation>
        </message>
        <message>
            <source>Tensors</source>
            <translation>张量</translation>
        </message>
        <message>
            <source>Click a cell of the map to see its tensors.</source>
            <translation>点击图中的格子查看其张量。</translation>
        </message>
        <message>
            <source>Tensors of the chosen cell</source>
            <translation>所选格子的张量</translation>
        </message>
        <message>
            <source>%1 held, %2 of it replicated</source>
            <translation>占用 %1，其中 %2 为副本</translation>
        </message>
        <message>
            <source>%1 held</source>
            <translation>占用 %1</translation>
        </message>
        <message>
            <source>embedding</source>
            <translation>嵌入</translation>
        </message>
        <message>
            <source>norm and head</source>
            <translation>归一化与输出头</translation>
        </message>
        <message>
            <source>layer %1</source>
            <translation>层 %1</translation>
        </message>
        <message>
            <source>Of the rank's weights</source>
            <translation>占该 rank 权重</translation>
        </message>
        <message>
            <source>%1 %</source>
            <translation>%1 %</translation>
        </message>
        <message>
            <source>Place</source>
            <translation>位置</translation>
        </message>
        <message>
            <source>PP %1, TP %2, DP %3</source>
            <translation>PP %1，TP %2，DP %3</translation>
        </message>
        <message>
            <source>Asking…</source>
            <translation>正在请求…</translation>
        </message>
        <message>
            <source>Slices are known only while an engine is connected.</source>
            <translation>连接引擎时才能获知切片。</translation>
        </message>
        <message>
            <source>%1: %2 slices, %3</source>
            <translation>%1：%2 个切片，%3</translation>
        </message>
        <message>
            <source>The plan was not taken: %1</source>
            <translation>方案未被接受：%1</translation>
        </message>
        <message>
            <source>Placement</source>
            <translation>放置</translation>
        </message>
        <message>
            <source>Most of it</source>
            <translation>主要内容</translation>
        </message>
        <message>
            <source>click to look inside</source>
            <translation>点击查看内部</translation>
        </message>
        <message>
            <source>expert %1</source>
            <translation>专家 %1</translation>
        </message>
        <message>
            <source>Rank</source>
            <translation>Rank</translation>
        </message>
        <message>
            <source>Type</source>
            <translation>类型</translation>
        </message>
        <message>
            <source>Slice</source>
            <translation>切片</translation>
        </message>
        <message>
            <source>Shard</source>
            <translation>分片</translation>
        </message>
        <message>
            <source>Show the whole map (0)</source>
            <translation>显示整张图（0）</translation>
        </message>
        <message>
            <source>Show the whole map</source>
            <translation>显示整张图</translation>
        </message>
        <message>
            <source>Compare</source>
            <translation>对比</translation>
        </message>
        <message>
            <source>In use</source>
            <translation>使用中</translation>
        </message>
        <message>
            <source>Show the whole placement map</source>
            <translation>显示整张放置图</translation>
        </message>
        <message>
            <source>Zoom into the placement map</source>
            <translation>放大放置图</translation>
        </message>
        <message>
            <source>Zoom out of the placement map</source>
            <translation>缩小放置图</translation>
        </message>
        <message>
            <source>Compare two plans</source>
            <translation>对比两个方案</translation>
        </message>
        <message>
            <source>Show saved plans</source>
            <translation>显示已保存的方案</translation>
        </message>
        <message>
            <source>Proposal</source>
            <translation>提案</translation>
        </message>
        <message>
            <source>Move a number, or save a plan: then there are two to compare.</source>
            <translation>改动一个数值或保存一个方案后，就有两个方案可以对比。</translation>
        </message>
        <message>
            <source>%1 on r%2</source>
            <translation>r%2 上的%1</translation>
        </message>
        <message>
            <source>Search all plans</source>
            <translation>搜索所有方案</translation>
        </message>
    </context>
    <context>
        <name>fl::panels::PlanRequests</name>
        <message>
            <source>A plan can be tried only while an engine is connected.</source>
            <translation>连接引擎时才能试算方案。</translation>
        </message>
        <message>
            <source>What the cell holds is not known: %1</source>
            <translation>格子的内容未知：%1</translation>
        </message>
        <message>
            <source>The plan was not taken: %1</source>
            <translation>方案未被接受：%1</translation>
        </message>
        <message>
            <source>Saved plans cannot be read: %1</source>
            <translation>无法读取已保存的方案：%1</translation>
        </message>
        <message>
            <source>The plan was not saved: %1</source>
            <translation>方案未保存：%1</translation>
        </message>
        <message>
            <source>The plan is still kept: %1</source>
            <translation>方案仍被保留：%1</translation>
        </message>
        <message>
            <source>%1 cannot be compared: %2</source>
            <translation>无法对比 %1：%2</translation>
        </message>
        <message>
            <source>Plans can be searched only while an engine is connected.</source>
            <translation>只有连接引擎时才能搜索方案。</translation>
        </message>
        <message>
            <source>The search ended: %1</source>
            <translation>搜索已结束：%1</translation>
        </message>
    </context>
    <context>
        <name>fl::panels::PlansPage</name>
        <message>
            <source>Saved plans</source>
            <translation>已保存的方案</translation>
        </message>
        <message>
            <source>Name to keep the plan under</source>
            <translation>保存方案用的名称</translation>
        </message>
        <message>
            <source>Name</source>
            <translation>名称</translation>
        </message>
        <message>
            <source>Save</source>
            <translation>保存</translation>
        </message>
        <message>
            <source>Compare</source>
            <translation>对比</translation>
        </message>
        <message>
            <source>Give it a name first</source>
            <translation>请先命名</translation>
        </message>
        <message>
            <source>Choose a saved plan first</source>
            <translation>请先选择已保存的方案</translation>
        </message>
        <message>
            <source>A name has up to 40 letters, digits, points, dashes and underscores</source>
            <translation>名称最多 40 个字符，可用字母、数字、点、短横线和下划线</translation>
        </message>
        <message>
            <source>Legal plans</source>
            <translation>合法方案</translation>
        </message>
        <message>
            <source>Progress of the search</source>
            <translation>搜索进度</translation>
        </message>
        <message>
            <source>Cancel the search</source>
            <translation>取消搜索</translation>
        </message>
        <message>
            <source>Search all plans</source>
            <translation>搜索所有方案</translation>
        </message>
        <message>
            <source>the best ones found while planning</source>
            <translation>规划时找到的最佳方案</translation>
        </message>
        <message>
            <source>%1 legal of %2 tried</source>
            <translation>已试 %2 个，合法 %1 个</translation>
        </message>
        <message>
            <source>Beginning…</source>
            <translation>正在开始…</translation>
        </message>
        <message>
            <source>%1, %2 in all</source>
            <translation>%1，共 %2 个</translation>
        </message>
        <message>
            <source>%1, then cancelled after %2</source>
            <translation>%1，%2 后取消</translation>
        </message>
        <message>
            <source>%1 in %2</source>
            <translation>%1，用时 %2</translation>
        </message>
        <message>
            <source>Load</source>
            <translation>载入</translation>
        </message>
        <message>
            <source>Forget the saved plan</source>
            <translation>忘记已保存的方案</translation>
        </message>
    </context>
    <context>
        <name>fl::panels::RecipeWriter</name>
        <message>
            <source>Write a recipe skeleton</source>
            <translation>编写配方骨架</translation>
        </message>
        <message>
            <source>Recipes (*.lua)</source>
            <translation>配方 (*.lua)</translation>
        </message>
        <message>
            <source>The recipe was not written: %1</source>
            <translation>配方未写入：%1</translation>
        </message>
        <message>
            <source>The recipe was written, but not read: %1</source>
            <translation>配方已写入，但未能读取：%1</translation>
        </message>
    </context>
    <context>
        <name>fl::panels::SamplingForm</name>
        <message>
            <source>Greedy</source>
            <translation>贪心</translation>
        </message>
        <message>
            <source>Own</source>
            <translation>自定义</translation>
        </message>
        <message>
            <source>Sampling</source>
            <translation>采样</translation>
        </message>
        <message>
            <source>off</source>
            <translation>关</translation>
        </message>
        <message>
            <source>Text that ends an answer</source>
            <translation>结束回答的文本</translation>
        </message>
        <message>
            <source>As the model's template has it</source>
            <translation>按模型模板</translation>
        </message>
        <message>
            <source>System prompt</source>
            <translation>系统提示词</translation>
        </message>
        <message>
            <source>Temperature</source>
            <translation>温度</translation>
        </message>
        <message>
            <source>Top p</source>
            <translation>Top p</translation>
        </message>
        <message>
            <source>Min p</source>
            <translation>Min p</translation>
        </message>
        <message>
            <source>Top k</source>
            <translation>Top k</translation>
        </message>
        <message>
            <source>Seed</source>
            <translation>种子</translation>
        </message>
        <message>
            <source>Max tokens</source>
            <translation>最多词元</translation>
        </message>
        <message>
            <source>Stop at</source>
            <translation>停止于</translation>
        </message>
        <message>
            <source>Greedy takes the likeliest token: choose Own</source>
            <translation>贪心总取最可能的词元：请选“自定义”</translation>
        </message>
    </context>
    <context>
        <name>fl::panels::ShardCells</name>
        <message>
            <source>Files of the checkpoint</source>
            <translation>检查点的文件</translation>
        </message>
    </context>
    <context>
        <name>fl::panels::TensorDelegate</name>
        <message>
            <source>missing</source>
            <translation>缺失</translation>
        </message>
        <message>
            <source>unexpected</source>
            <translation>多余</translation>
        </message>
        <message>
            <source>wrong shape</source>
            <translation>形状不符</translation>
        </message>
        <message>
            <source>wrong type</source>
            <translation>类型不符</translation>
        </message>
    </context>
    <context>
        <name>fl::panels::TensorDetail</name>
        <message>
            <source>matched</source>
            <translation>匹配</translation>
        </message>
        <message>
            <source>missing</source>
            <translation>缺失</translation>
        </message>
        <message>
            <source>unexpected</source>
            <translation>多余</translation>
        </message>
        <message>
            <source>ignored as declared</source>
            <translation>按声明忽略</translation>
        </message>
        <message>
            <source>wrong shape</source>
            <translation>形状不符</translation>
        </message>
        <message>
            <source>wrong type</source>
            <translation>类型不符</translation>
        </message>
        <message>
            <source>none</source>
            <translation>无</translation>
        </message>
        <message>
            <source>Tensor</source>
            <translation>张量</translation>
        </message>
        <message>
            <source>Close the tensor&apos;s facts</source>
            <translation>关闭张量详情</translation>
        </message>
        <message>
            <source>Show histogram</source>
            <translation>显示直方图</translation>
        </message>
        <message>
            <source>Type</source>
            <translation>类型</translation>
        </message>
        <message>
            <source>Shape</source>
            <translation>形状</translation>
        </message>
        <message>
            <source>Bytes</source>
            <translation>字节</translation>
        </message>
        <message>
            <source>Kind</source>
            <translation>种类</translation>
        </message>
        <message>
            <source>Shard</source>
            <translation>分片</translation>
        </message>
        <message>
            <source>Contract</source>
            <translation>约定</translation>
        </message>
        <message>
            <source>The checkpoint lacks this tensor</source>
            <translation>检查点缺少此张量</translation>
        </message>
        <message>
            <source>The engine reads the tensor</source>
            <translation>引擎正在读取张量</translation>
        </message>
        <message>
            <source>Values</source>
            <translation>值</translation>
        </message>
        <message>
            <source>%1, all finite</source>
            <translation>%1，全部有限</translation>
        </message>
        <message>
            <source>Not finite</source>
            <translation>非有限值</translation>
        </message>
        <message>
            <source>Zeros</source>
            <translation>零</translation>
        </message>
        <message>
            <source>Range</source>
            <translation>范围</translation>
        </message>
        <message>
            <source>%1 to %2</source>
            <translation>%1 至 %2</translation>
        </message>
        <message>
            <source>Mean, root mean square</source>
            <translation>均值、均方根</translation>
        </message>
        <message>
            <source>No histogram: %1</source>
            <translation>没有直方图：%1</translation>
        </message>
    </context>
    <context>
        <name>fl::panels::TopologyPanel</name>
        <message>
            <source>Topology</source>
            <translation>拓扑</translation>
        </message>
        <message>
            <source>No cluster yet</source>
            <translation>尚无集群</translation>
        </message>
        <message>
            <source>Machines, cards and links appear here once a checkpoint is opened and planned. After Launch each card shows what it holds and does.</source>
            <translation>打开检查点并规划后，这里显示机器、卡和链路。启动后每张卡显示其占用和状态。</translation>
        </message>
        <message>
            <source>Open a checkpoint…</source>
            <translation>打开检查点…</translation>
        </message>
        <message>
            <source>What cards show</source>
            <translation>卡上显示的内容</translation>
        </message>
        <message>
            <source>State</source>
            <translation>状态</translation>
        </message>
        <message>
            <source>Memory</source>
            <translation>内存</translation>
        </message>
        <message>
            <source>Load</source>
            <translation>加载</translation>
        </message>
        <message>
            <source>Temperature</source>
            <translation>温度</translation>
        </message>
        <message>
            <source>Show all of it</source>
            <translation>显示全部</translation>
        </message>
        <message>
            <source>Topology: show all of it</source>
            <translation>拓扑：显示全部</translation>
        </message>
        <message>
            <source>Topology: zoom in</source>
            <translation>拓扑：放大</translation>
        </message>
        <message>
            <source>Topology: zoom out</source>
            <translation>拓扑：缩小</translation>
        </message>
        <message>
            <source>Topology: export as PNG…</source>
            <translation>拓扑：导出为 PNG…</translation>
        </message>
        <message>
            <source>Topology: export as SVG…</source>
            <translation>拓扑：导出为 SVG…</translation>
        </message>
        <message>
            <source>%1: %2 nodes, %3 cards. Arrow keys choose a card.</source>
            <translation>%1：%2 个节点，%3 张卡。用方向键选择卡。</translation>
        </message>
        <message>
            <source>Show %1 groups</source>
            <translation>显示 %1 组</translation>
        </message>
        <message>
            <source>These cards report no temperature</source>
            <translation>这些卡不报告温度</translation>
        </message>
        <message>
            <source>Waits for Launch</source>
            <translation>等待启动</translation>
        </message>
        <message>
            <source>state at the moment rank %1 was lost</source>
            <translation>rank %1 丢失时的状态</translation>
        </message>
        <message>
            <source>%1 %2 groups, each in its colour; click a card for one of them</source>
            <translation>%1 个 %2 组，各用一种颜色；点击卡可只看其一</translation>
        </message>
        <message>
            <source>one rank, no groups</source>
            <translation>单个 rank，无分组</translation>
        </message>
        <message>
            <source>Export topology</source>
            <translation>导出拓扑</translation>
        </message>
        <message>
            <source>The topology could not be written to %1</source>
            <translation>拓扑无法写入 %1</translation>
        </message>
        <message>
            <source>Group %1 crosses a slow link: %2 of a step</source>
            <translation>组 %1 经过慢链路：占每步 %2</translation>
        </message>
        <message>
            <source>%1 groups cross slow links; %2 spends %3 of a step there</source>
            <translation>%1 个组经过慢链路；%2 每步在此花费 %3</translation>
        </message>
        <message>
            <source>No order of these ranks is better: another cut may be.</source>
            <translation>这些 rank 没有更好的顺序；换一种切分也许更好。</translation>
        </message>
        <message>
            <source>In the order %1 a step takes %2, %3 less.</source>
            <translation>按 %1 的顺序每步需 %2，少 %3。</translation>
        </message>
        <message>
            <source>Show the group</source>
            <translation>显示该组</translation>
        </message>
        <message>
            <source>Try this order</source>
            <translation>试用此顺序</translation>
        </message>
    </context>
    <context>
        <name>fl::panels::ViolationList</name>
        <message>
            <source>Legal</source>
            <translation>合法值</translation>
        </message>
        <message>
            <source>Set %1 to %2</source>
            <translation>将 %1 设为 %2</translation>
        </message>
    </context>
    <context>
        <name>fl::panels::WhatIf</name>
        <message>
            <source>What if</source>
            <translation>试算</translation>
        </message>
        <message>
            <source>TP</source>
            <translation>TP</translation>
        </message>
        <message>
            <source>PP</source>
            <translation>PP</translation>
        </message>
        <message>
            <source>EP</source>
            <translation>EP</translation>
        </message>
        <message>
            <source>DP</source>
            <translation>DP</translation>
        </message>
        <message>
            <source>Longest context</source>
            <translation>最长上下文</translation>
        </message>
        <message>
            <source>Sequences at once</source>
            <translation>同时序列数</translation>
        </message>
        <message>
            <source>Discard</source>
            <translation>放弃</translation>
        </message>
        <message>
            <source>1 violation</source>
            <translation>1 处违反</translation>
        </message>
        <message>
            <source>%1 violations</source>
            <translation>%1 处违反</translation>
        </message>
        <message>
            <source>Asking…</source>
            <translation>正在请求…</translation>
        </message>
        <message>
            <source>%1 cannot be placed. The map still shows the plan in use.</source>
            <translation>%1 无法放置。图中仍显示使用中的方案。</translation>
        </message>
        <message>
            <source>This stops the ranks that run now (%1) and loads the model again.</source>
            <translation>这会停止正在运行的 rank（%1）并重新加载模型。</translation>
        </message>
        <message>
            <source>%1: at most %2 a rank, %3 free%4</source>
            <translation>%1：每 rank 至多 %2，空闲 %3%4</translation>
        </message>
        <message>
            <source>In use, %1</source>
            <translation>使用中，%1</translation>
        </message>
        <message>
            <source>, a step in %1</source>
            <translation>，每步 %1</translation>
        </message>
        <message>
            <source>Stop and launch %1</source>
            <translation>停止并启动 %1</translation>
        </message>
        <message>
            <source>It breaks a rule</source>
            <translation>违反规则</translation>
        </message>
        <message>
            <source>Change a number first</source>
            <translation>请先更改一个数值</translation>
        </message>
        <message>
            <source>%1, by powers of two</source>
            <translation>%1，按 2 的幂</translation>
        </message>
        <message>
            <source>KV cache</source>
            <translation>KV 缓存</translation>
        </message>
        <message>
            <source>Commit</source>
            <translation>提交</translation>
        </message>
        <message>
            <source>Proposal %1</source>
            <translation>提案 %1</translation>
        </message>
        <message>
            <source>. Up to %1 tokens fit at %2 sequences.</source>
            <translation>。%2 个序列时最多容纳 %1 个词元。</translation>
        </message>
        <message>
            <source>Use nearest: %1</source>
            <translation>采用最接近的：%1</translation>
        </message>
        <message>
            <source>The answer is on its way</source>
            <translation>答案即将到达</translation>
        </message>
    </context>
    <context>
        <name>fl::shell::CommandPalette</name>
        <message>
            <source>Search or run a command</source>
            <translation>搜索或执行命令</translation>
        </message>
        <message>
            <source>Commands</source>
            <translation>命令</translation>
        </message>
    </context>
    <context>
        <name>fl::shell::MainWindow</name>
        <message>
            <source>SmolLM2 is not in %1/models: installer/firstlight.sh fetches it</source>
            <translation>%1/models 中没有 SmolLM2：installer/firstlight.sh 会获取它</translation>
        </message>
        <message>
            <source>No engine of yours is running on this machine</source>
            <translation>这台机器上没有你的引擎在运行</translation>
        </message>
        <message>
            <source>%1 is no job file: %2</source>
            <translation>%1 不是作业文件：%2</translation>
        </message>
        <message>
            <source>Open a checkpoint first</source>
            <translation>请先打开检查点</translation>
        </message>
        <message>
            <source>The engine is starting</source>
            <translation>引擎正在启动</translation>
        </message>
        <message>
            <source>Inspect failed: see Findings</source>
            <translation>检查未通过：见“诊断”</translation>
        </message>
        <message>
            <source>This plan breaks rules: see Placement</source>
            <translation>此方案违反规则：见“放置”</translation>
        </message>
        <message>
            <source>%1 is running</source>
            <translation>%1正在进行</translation>
        </message>
        <message>
            <source>The ranks are running</source>
            <translation>各 rank 正在运行</translation>
        </message>
        <message>
            <source>Nothing is running</source>
            <translation>没有正在运行的任务</translation>
        </message>
        <message>
            <source>No engine is attached</source>
            <translation>未连接引擎</translation>
        </message>
        <message>
            <source>No chat panel</source>
            <translation>没有对话面板</translation>
        </message>
        <message>
            <source>in %1</source>
            <translation>位于 %1</translation>
        </message>
        <message>
            <source>Noticed after %1; the other ranks were stopped.</source>
            <translation>%1 后发现；其余 rank 已停止。</translation>
        </message>
        <message>
            <source>last line</source>
            <translation>最后一行</translation>
        </message>
        <message>
            <source>Launch again</source>
            <translation>重新启动</translation>
        </message>
        <message>
            <source>Copy as text</source>
            <translation>复制为文本</translation>
        </message>
        <message>
            <source>Dismiss</source>
            <translation>关闭提示</translation>
        </message>
        <message>
            <source>Show its log</source>
            <translation>显示其日志</translation>
        </message>
    </context>
    <context>
        <name>fl::shell::OpenDialog</name>
        <message>
            <source>Open a checkpoint</source>
            <translation>打开检查点</translation>
        </message>
        <message>
            <source>Browse…</source>
            <translation>浏览…</translation>
        </message>
        <message>
            <source>Checkpoint</source>
            <translation>检查点</translation>
        </message>
        <message>
            <source>local, cpu:cards=6,memory=2GiB, or a JSON file of nodes and links</source>
            <translation>local、cpu:cards=6,memory=2GiB，或描述节点与链路的 JSON 文件</translation>
        </message>
        <message>
            <source>Cluster</source>
            <translation>集群</translation>
        </message>
        <message>
            <source>Plan</source>
            <translation>规划</translation>
        </message>
        <message>
            <source>Load</source>
            <translation>加载</translation>
        </message>
        <message>
            <source>Bring up to</source>
            <translation>进行到</translation>
        </message>
        <message>
            <source>Cancel</source>
            <translation>取消</translation>
        </message>
        <message>
            <source>Open</source>
            <translation>打开</translation>
        </message>
        <message>
            <source>Choose a checkpoint first</source>
            <translation>请先选择检查点</translation>
        </message>
        <message>
            <source>There is nothing at this path</source>
            <translation>此路径下没有内容</translation>
        </message>
        <message>
            <source>Only headers are read until Load. TP, PP, EP and DP on auto let the planner choose; every broken rule is shown with its legal values.</source>
            <translation>加载之前只读取文件头。TP、PP、EP、DP 设为自动时由规划器选择；每条被违反的规则都会连同合法值一起显示。</translation>
        </message>
        <message>
            <source>There is nothing at this path.</source>
            <translation>此路径下没有内容。</translation>
        </message>
        <message>
            <source>Folder of safetensors, a GGUF or a job file</source>
            <translation>safetensors 文件夹、GGUF 文件或作业文件</translation>
        </message>
        <message>
            <source>A folder…</source>
            <translation>文件夹…</translation>
        </message>
        <message>
            <source>A file…</source>
            <translation>文件…</translation>
        </message>
        <message>
            <source>Weights and jobs (*.gguf *.safetensors *.json)</source>
            <translation>权重和作业 (*.gguf *.safetensors *.json)</translation>
        </message>
        <message>
            <source>All files (*)</source>
            <translation>所有文件 (*)</translation>
        </message>
        <message>
            <source>A job file brings its own checkpoint, cluster and cut.</source>
            <translation>作业文件自带检查点、集群和切分方式。</translation>
        </message>
    </context>
    <context>
        <name>fl::shell::StageRail</name>
        <message>
            <source>%1 s left</source>
            <translation>剩余 %1 秒</translation>
        </message>
        <message>
            <source>%1:%2 left</source>
            <translation>剩余 %1:%2</translation>
        </message>
        <message>
            <source>Bring-up</source>
            <translation>启动流程</translation>
        </message>
        <message>
            <source>Not in this window yet</source>
            <translation>此窗口暂不提供</translation>
        </message>
        <message>
            <source>Ready</source>
            <translation>就绪</translation>
        </message>
        <message>
            <source>Waits for %1</source>
            <translation>等待%1</translation>
        </message>
        <message>
            <source>since the checkpoint was opened</source>
            <translation>自打开检查点起</translation>
        </message>
        <message>
            <source>starts with a checkpoint</source>
            <translation>从打开检查点开始</translation>
        </message>
    </context>
    <context>
        <name>fl::shell::StartPage</name>
        <message>
            <source>today %1</source>
            <translation>今天 %1</translation>
        </message>
        <message>
            <source>yesterday %1</source>
            <translation>昨天 %1</translation>
        </message>
        <message>
            <source>d MMM</source>
            <translation>M月d日</translation>
        </message>
        <message>
            <source>Open a checkpoint</source>
            <translation>打开检查点</translation>
        </message>
        <message>
            <source>A folder of safetensors or a GGUF file. Only headers are read; no code from it ever runs.</source>
            <translation>safetensors 文件夹或 GGUF 文件。只读取文件头，绝不运行其中的代码。</translation>
        </message>
        <message>
            <source>Open…</source>
            <translation>打开…</translation>
        </message>
        <message>
            <source>Try the demo model</source>
            <translation>试用演示模型</translation>
        </message>
        <message>
            <source>A small real model on the processor alone. Every stage for real, in about a minute.</source>
            <translation>仅用处理器运行的小型真实模型。每个阶段都真实执行，约一分钟。</translation>
        </message>
        <message>
            <source>Start demo</source>
            <translation>开始演示</translation>
        </message>
        <message>
            <source>Replay a recorded run</source>
            <translation>回放已记录的运行</translation>
        </message>
        <message>
            <source>A journal played back at any speed: topology, memory, latency, findings, without a cluster.</source>
            <translation>以任意速度回放日志：拓扑、内存、延迟、诊断，无需集群。</translation>
        </message>
        <message>
            <source>Choose journal…</source>
            <translation>选择日志…</translation>
        </message>
        <message>
            <source>This version records no journals yet</source>
            <translation>此版本尚不记录运行日志</translation>
        </message>
        <message>
            <source>From a folder of shards to a checked, answering, measured model.</source>
            <translation>从一个分片文件夹，到经过检查、能够回答、测量完毕的模型。</translation>
        </message>
        <message>
            <source>Recent</source>
            <translation>最近</translation>
        </message>
        <message>
            <source>Filter</source>
            <translation>筛选</translation>
        </message>
        <message>
            <source>Recent models</source>
            <translation>最近的模型</translation>
        </message>
        <message>
            <source>Drop a model folder or a job file anywhere</source>
            <translation>可将模型文件夹或作业文件拖到任意位置</translation>
        </message>
        <message>
            <source>Keys</source>
            <translation>快捷键</translation>
        </message>
        <message>
            <source>checkpoint</source>
            <translation>检查点</translation>
        </message>
        <message>
            <source>not planned</source>
            <translation>未规划</translation>
        </message>
    </context>
    <context>
        <name>fl::shell::StatusLine</name>
        <message>
            <source>local: %1 cores, %2</source>
            <translation>本机：%1 核，%2</translation>
        </message>
        <message>
            <source>attaching to the engine</source>
            <translation>正在连接引擎</translation>
        </message>
        <message>
            <source>no engine running</source>
            <translation>没有引擎在运行</translation>
        </message>
        <message>
            <source>engine running</source>
            <translation>引擎运行中</translation>
        </message>
        <message>
            <source>engine running on %1</source>
            <translation>引擎运行于 %1</translation>
        </message>
        <message>
            <source>%1/%2 ranks</source>
            <translation>%1/%2 个 rank</translation>
        </message>
        <message>
            <source>loading %1</source>
            <translation>加载 %1</translation>
        </message>
        <message>
            <source>%1 tok/s</source>
            <translation>%1 词元/秒</translation>
        </message>
        <message>
            <source>peak %1 of %2 %3</source>
            <translation>峰值 %1 / %2 %3</translation>
        </message>
        <message>
            <source>KV %1 of %2 pages</source>
            <translation>KV %1 / %2 页</translation>
        </message>
        <message>
            <source>plan holds %1, %2 of it replicated</source>
            <translation>方案占用 %1，其中 %2 为副本</translation>
        </message>
        <message>
            <source>1 error</source>
            <translation>1 个错误</translation>
        </message>
        <message>
            <source>%1 errors</source>
            <translation>%1 个错误</translation>
        </message>
        <message>
            <source>1 warning</source>
            <translation>1 个警告</translation>
        </message>
        <message>
            <source>%1 warnings</source>
            <translation>%1 个警告</translation>
        </message>
        <message>
            <source>alerts 0</source>
            <translation>告警 0</translation>
        </message>
    </context>
    <context>
        <name>fl::shell::TopBar</name>
        <message>
            <source>Model</source>
            <translation>模型</translation>
        </message>
        <message>
            <source>Cluster</source>
            <translation>集群</translation>
        </message>
        <message>
            <source>Plan</source>
            <translation>规划</translation>
        </message>
        <message>
            <source>Settings</source>
            <translation>设置</translation>
        </message>
        <message>
            <source>none</source>
            <translation>无</translation>
        </message>
        <message>
            <source>Another cluster…</source>
            <translation>其他集群…</translation>
        </message>
        <message>
            <source>No plan yet: open a checkpoint</source>
            <translation>尚无方案：请打开检查点</translation>
        </message>
        <message>
            <source>in use</source>
            <translation>使用中</translation>
        </message>
        <message>
            <source>Let the planner choose</source>
            <translation>由规划器选择</translation>
        </message>
        <message>
            <source>Show and hide docks</source>
            <translation>显示和隐藏停靠栏</translation>
        </message>
    </context>
    <context>
        <name>fl::shell::Workspace</name>
        <message>
            <source>Show %1</source>
            <translation>显示%1</translation>
        </message>
        <message>
            <source>Bring-up</source>
            <translation>启动流程</translation>
        </message>
    </context>
    <context>
        <name>fl::widgets::MessageStrip</name>
        <message>
            <source>%1 more</source>
            <translation>另有 %1 条</translation>
        </message>
    </context>
    <context>
        <name>fl::widgets::MetricPlot</name>
        <message>
            <source>Live</source>
            <translation>实时</translation>
        </message>
        <message>
            <source>Follow the newest values again</source>
            <translation>重新跟随最新数值</translation>
        </message>
    </context>
    <context>
        <name>fl::widgets::ProgressBar</name>
        <message>
            <source>progress not known</source>
            <translation>进度未知</translation>
        </message>
        <message>
            <source>%1 %</source>
            <translation>%1 %</translation>
        </message>
    </context>
    <context>
        <name>fl::widgets::StageRailItem</name>
        <message>
            <source>%1 %</source>
            <translation>%1 %</translation>
        </message>
    </context>
    <context>
        <name>fl::widgets::TabStrip</name>
        <message>
            <source>Panels</source>
            <translation>面板</translation>
        </message>
        <message>
            <source>%1, %2 to look at</source>
            <translation>%1，%2 项待查看</translation>
        </message>
    </context>
    <context>
        <name>fl::widgets::WhatIfRow</name>
        <message>
            <source>auto</source>
            <translation>自动</translation>
        </message>
        <message>
            <source>More legal values of %1</source>
            <translation>%1 的更多合法值</translation>
        </message>
    </context>
    <context>
        <name>fl::shell::Dock</name>
        <message>
            <source>Move or close %1</source>
            <translation>移动或关闭%1</translation>
        </message>
        <message>
            <source>In a window of its own</source>
            <translation>使用独立窗口</translation>
        </message>
        <message>
            <source>Close</source>
            <translation>关闭</translation>
        </message>
        <message>
            <source>Close the %1 dock</source>
            <translation>关闭“%1”停靠栏</translation>
        </message>
        <message>
            <source>Open the %1 dock</source>
            <translation>打开“%1”停靠栏</translation>
        </message>
    </context>
    <context>
        <name>fl::models::ValidateModel</name>
        <message>
            <source>Template</source>
            <translation>模板</translation>
        </message>
        <message>
            <source>Prompt to ids</source>
            <translation>提示词到 id</translation>
        </message>
        <message>
            <source>Positions</source>
            <translation>位置</translation>
        </message>
        <message>
            <source>Image processor</source>
            <translation>图像处理器</translation>
        </message>
        <message>
            <source>Image features</source>
            <translation>图像特征</translation>
        </message>
        <message>
            <source>Embeddings</source>
            <translation>嵌入</translation>
        </message>
        <message>
            <source>Final norm</source>
            <translation>最终归一化</translation>
        </message>
        <message>
            <source>Logits</source>
            <translation>Logits</translation>
        </message>
        <message>
            <source>Greedy continuation</source>
            <translation>贪心续写</translation>
        </message>
        <message>
            <source>Layer %1</source>
            <translation>第 %1 层</translation>
        </message>
        <message>
            <source>%1 tokens are left out: they took another expert where two were as good</source>
            <translation>%1 个词元未计入：两个专家同样好时，它们走了另一个专家</translation>
        </message>
        <message>
            <source>Layers %1–%2</source>
            <translation>第 %1–%2 层</translation>
        </message>
        <message>
            <source>Layer %1, token mixer</source>
            <translation>第 %1 层，词元混合</translation>
        </message>
        <message>
            <source>Layer %1, MLP</source>
            <translation>第 %1 层，MLP</translation>
        </message>
        <message>
            <source>Layer %1, %2</source>
            <translation>第 %1 层，%2</translation>
        </message>
        <message>
            <source>%1: %2</source>
            <translation>%1：%2</translation>
        </message>
        <message>
            <source>equal</source>
            <translation>一致</translation>
        </message>
        <message>
            <source>parts</source>
            <translation>分歧</translation>
        </message>
        <message>
            <source>not judged</source>
            <translation>不评判</translation>
        </message>
        <message>
            <source>Rung</source>
            <translation>阶梯</translation>
        </message>
        <message>
            <source>Error</source>
            <translation>误差</translation>
        </message>
        <message>
            <source>Limit</source>
            <translation>上限</translation>
        </message>
        <message>
            <source>%1, replica %2</source>
            <translation>%1，副本 %2</translation>
        </message>
        <message>
            <source>All %1 cases agree with the reference</source>
            <translation>全部 %1 个用例都与参考一致</translation>
        </message>
        <message>
            <source>This case agrees with the reference, %1 of %2 do not</source>
            <translation>该用例与参考一致，%2 个中有 %1 个不一致</translation>
        </message>
        <message>
            <source>First divergence: %1</source>
            <translation>首次分歧：%1</translation>
        </message>
        <message>
            <source>%1, rank %2</source>
            <translation>%1，rank %2</translation>
        </message>
        <message>
            <source>error %1, limit %2</source>
            <translation>误差 %1，上限 %2</translation>
        </message>
        <message>
            <source>token %1</source>
            <translation>词元 %1</translation>
        </message>
    </context>
    <context>
        <name>fl::panels::ValidatePanel</name>
        <message>
            <source>Validate</source>
            <translation>验证</translation>
        </message>
        <message>
            <source>Not compared yet</source>
            <translation>尚未比较</translation>
        </message>
        <message>
            <source>A reference folder holds what a known implementation computed for a few prompts: ids, every layer's output, logits. Each is a rung; the first one that parts names the layer, the rank and the slice.</source>
            <translation>参考文件夹保存已知实现对若干提示词的计算结果：id、每层输出和 logits。每一项是一级阶梯；第一个出现分歧的阶梯会指出层、rank 和切片。</translation>
        </message>
        <message>
            <source>Compare with the reference</source>
            <translation>与参考比较</translation>
        </message>
        <message>
            <source>Choose a reference…</source>
            <translation>选择参考…</translation>
        </message>
        <message>
            <source>Reference</source>
            <translation>参考</translation>
        </message>
        <message>
            <source>Case</source>
            <translation>用例</translation>
        </message>
        <message>
            <source>Cancel</source>
            <translation>取消</translation>
        </message>
        <message>
            <source>Run again</source>
            <translation>再次运行</translation>
        </message>
        <message>
            <source>Ladder</source>
            <translation>阶梯</translation>
        </message>
        <message>
            <source>Rungs of the chosen case</source>
            <translation>所选用例的阶梯</translation>
        </message>
        <message>
            <source>Error per layer</source>
            <translation>每层误差</translation>
        </message>
        <message>
            <source>RMS of the difference over RMS of the reference</source>
            <translation>差值的 RMS 与参考的 RMS 之比</translation>
        </message>
        <message>
            <source>relative RMS</source>
            <translation>相对 RMS</translation>
        </message>
        <message>
            <source>Which error</source>
            <translation>误差类型</translation>
        </message>
        <message>
            <source>Mean</source>
            <translation>平均</translation>
        </message>
        <message>
            <source>Worst token</source>
            <translation>最差词元</translation>
        </message>
        <message>
            <source>Error of each layer</source>
            <translation>每层的误差</translation>
        </message>
        <message>
            <source>layer</source>
            <translation>层</translation>
        </message>
        <message>
            <source>Validate: compare with the reference</source>
            <translation>验证：与参考比较</translation>
        </message>
        <message>
            <source>Validate: choose a reference…</source>
            <translation>验证：选择参考…</translation>
        </message>
        <message>
            <source>Validate: cancel</source>
            <translation>验证：取消</translation>
        </message>
        <message>
            <source>Waits for Load</source>
            <translation>等待加载</translation>
        </message>
        <message>
            <source>Choose a reference folder first</source>
            <translation>请先选择参考文件夹</translation>
        </message>
        <message>
            <source>Runs already</source>
            <translation>已在运行</translation>
        </message>
        <message>
            <source>Not compared: %1</source>
            <translation>未能比较：%1</translation>
        </message>
        <message>
            <source>Choose a reference: a folder with cases.json</source>
            <translation>选择参考：含 cases.json 的文件夹</translation>
        </message>
        <message>
            <source>none</source>
            <translation>无</translation>
        </message>
        <message>
            <source>Choose a folder with cases.json</source>
            <translation>选择含 cases.json 的文件夹</translation>
        </message>
        <message>
            <source>%1 of %2 fail</source>
            <translation>%2 个中有 %1 个失败</translation>
        </message>
        <message>
            <source>%1 of %1 agree</source>
            <translation>%1 个全部一致</translation>
        </message>
        <message>
            <source>Show rank %1</source>
            <translation>显示 rank %1</translation>
        </message>
        <message>
            <source>mixer</source>
            <translation>混合</translation>
        </message>
        <message>
            <source>MLP</source>
            <translation>MLP</translation>
        </message>
        <message>
            <source>limit %1</source>
            <translation>上限 %1</translation>
        </message>
        <message>
            <source>layer %1</source>
            <translation>第 %1 层</translation>
        </message>
    </context>
    <context>
        <name>StageText</name>
        <message>
            <source>%1 tensors in %2 shards</source>
            <translation>%2 个分片共 %1 个张量</translation>
        </message>
        <message>
            <source>%1 tensors in 1 shard</source>
            <translation>1 个分片共 %1 个张量</translation>
        </message>
        <message>
            <source>Fits: %1 of %2</source>
            <translation>够用：%1 / %2</translation>
        </message>
        <message>
            <source>1 rank in %1</source>
            <translation>1 个 rank，用时 %1</translation>
        </message>
        <message>
            <source>%1 ranks in %2</source>
            <translation>%1 个 rank，用时 %2</translation>
        </message>
        <message>
            <source>%1 of %2 cases agree</source>
            <translation>%2 个用例中 %1 个一致</translation>
        </message>
        <message>
            <source>case %1</source>
            <translation>用例 %1</translation>
        </message>
        <message>
            <source>TTFT %1, %2 tok/s</source>
            <translation>TTFT %1，%2 tok/s</translation>
        </message>
        <message>
            <source>%1 in %2</source>
            <translation>%1，用时 %2</translation>
        </message>
        <message>
            <source>rank %1 died: %2</source>
            <translation>rank %1 已退出：%2</translation>
        </message>
        <message>
            <source>an earlier stage ran again</source>
            <translation>前面的阶段已重新运行</translation>
        </message>
        <message>
            <source>the job was stopped</source>
            <translation>任务已停止</translation>
        </message>
        <message>
            <source>cancelled</source>
            <translation>已取消</translation>
        </message>
    </context>
    <context>
        <name>fl::widgets::TokenText</name>
        <message>
            <source>Copy</source>
            <translation>复制</translation>
        </message>
        <message>
            <source>Select all</source>
            <translation>全选</translation>
        </message>
    </context>
</TS>
