/* The driver's structs and numbers as the library declares them are those of cuda.h; nothing else is compiled against
   that. Members go in the order of cuda.h. */
#define STREAMFLOW_IMPLEMENTATION
#include "streamflow.h"
#include <cuda.h>
#include <stddef.h>

#define SIZE(ours, theirs) _Static_assert(sizeof(ours) == sizeof(theirs), #theirs)
#define SAME(ours, our, theirs, their)                                                                               \
    _Static_assert(offsetof(ours, our) == offsetof(theirs, their), #theirs "." #their ": offset");                   \
    _Static_assert(sizeof(((ours *)0)->our) == sizeof(((theirs *)0)->their), #theirs "." #their ": size")
#define FROM(ours, our, theirs, their)       /* the first of three */                                                \
    _Static_assert(offsetof(ours, our) == offsetof(theirs, their), #theirs "." #their ": offset");                   \
    _Static_assert(sizeof(((ours *)0)->our) == 3 * sizeof(((theirs *)0)->their), #theirs "." #their ": size")
#define EQUAL(ours, theirs) _Static_assert((int)(ours) == (int)(theirs), #theirs)

SIZE(sfi_cuda_ptr, CUdeviceptr);
SIZE(sf_graph_conditional, CUgraphConditionalHandle);
SIZE(unsigned long long, cuuint64_t);
SIZE(int, CUresult);

#define C2(our, their) SAME(sfi_cuda_copy_2d, our, CUDA_MEMCPY2D, their)
SIZE(sfi_cuda_copy_2d, CUDA_MEMCPY2D);
C2(src_x, srcXInBytes);
C2(src_y, srcY);
C2(src_type, srcMemoryType);
C2(src_host, srcHost);
C2(src, srcDevice);
C2(src_array, srcArray);
C2(src_pitch, srcPitch);
C2(dst_x, dstXInBytes);
C2(dst_y, dstY);
C2(dst_type, dstMemoryType);
C2(dst_host, dstHost);
C2(dst, dstDevice);
C2(dst_array, dstArray);
C2(dst_pitch, dstPitch);
C2(width, WidthInBytes);
C2(height, Height);

#define C3(our, their) SAME(sfi_cuda_copy_3d, our, CUDA_MEMCPY3D, their)
SIZE(sfi_cuda_copy_3d, CUDA_MEMCPY3D);
C3(src_x, srcXInBytes);
C3(src_y, srcY);
C3(src_z, srcZ);
C3(src_lod, srcLOD);
C3(src_type, srcMemoryType);
C3(src_host, srcHost);
C3(src, srcDevice);
C3(src_array, srcArray);
C3(reserved0, reserved0);
C3(src_pitch, srcPitch);
C3(src_height, srcHeight);
C3(dst_x, dstXInBytes);
C3(dst_y, dstY);
C3(dst_z, dstZ);
C3(dst_lod, dstLOD);
C3(dst_type, dstMemoryType);
C3(dst_host, dstHost);
C3(dst, dstDevice);
C3(dst_array, dstArray);
C3(reserved1, reserved1);
C3(dst_pitch, dstPitch);
C3(dst_height, dstHeight);
C3(width, WidthInBytes);
C3(height, Height);
C3(depth, Depth);

#define POOL(our, their) SAME(sfi_cuda_pool_props, our, CUmemPoolProps, their)
SIZE(sfi_cuda_pool_props, CUmemPoolProps);
POOL(type, allocType);
POOL(handle_types, handleTypes);
POOL(location, location);
POOL(location.type, location.type);
POOL(location.id, location.id);
POOL(security, win32SecurityAttributes);
POOL(max_bytes, maxSize);
POOL(usage, usage);
#if CUDA_VERSION < 13040
POOL(reserved, reserved);
#else                                        /* the first of the zeros has got a name */
_Static_assert(offsetof(sfi_cuda_pool_props, reserved) == offsetof(CUmemPoolProps, gpuDirectRDMACapable), "reserved");
_Static_assert(sizeof ((sfi_cuda_pool_props *)0)->reserved == sizeof ((CUmemPoolProps *)0)->reserved + 1, "reserved");
#endif

SIZE(sfi_cuda_pool_access, CUmemAccessDesc);
SAME(sfi_cuda_pool_access, location, CUmemAccessDesc, location);
SAME(sfi_cuda_pool_access, location.type, CUmemAccessDesc, location.type);
SAME(sfi_cuda_pool_access, location.id, CUmemAccessDesc, location.id);
SAME(sfi_cuda_pool_access, flags, CUmemAccessDesc, flags);
EQUAL(SFI_CUDA_ACCESS_READ_WRITE, CU_MEM_ACCESS_FLAGS_PROT_READWRITE);
EQUAL(SFI_CUDA_PEER_ENABLED, CUDA_ERROR_PEER_ACCESS_ALREADY_ENABLED);
EQUAL(-SF_ERROR_PEER_UNSUPPORTED, CUDA_ERROR_PEER_ACCESS_UNSUPPORTED);

SIZE(sfi_cuda_edge, CUgraphEdgeData);
SAME(sfi_cuda_edge, from_port, CUgraphEdgeData, from_port);
SAME(sfi_cuda_edge, to_port, CUgraphEdgeData, to_port);
SAME(sfi_cuda_edge, type, CUgraphEdgeData, type);
SAME(sfi_cuda_edge, reserved, CUgraphEdgeData, reserved);

#define KERNEL(our, their) SAME(sfi_cuda_kernel, our, CUDA_KERNEL_NODE_PARAMS_v3, their)
SIZE(sfi_cuda_kernel, CUDA_KERNEL_NODE_PARAMS_v3);
SIZE(sfi_cuda_kernel, CUDA_KERNEL_NODE_PARAMS_v2);           /* which cuGraphKernelNodeGetParams_v2 fills */
KERNEL(func, func);
FROM(sfi_cuda_kernel, grid, CUDA_KERNEL_NODE_PARAMS_v3, gridDimX);
FROM(sfi_cuda_kernel, block, CUDA_KERNEL_NODE_PARAMS_v3, blockDimX);
KERNEL(shared_bytes, sharedMemBytes);
KERNEL(params, kernelParams);
KERNEL(extra, extra);
KERNEL(kern, kern);
KERNEL(context, ctx);
SAME(sfi_cuda_kernel, func, CUDA_KERNEL_NODE_PARAMS_v2, func);
SAME(sfi_cuda_kernel, params, CUDA_KERNEL_NODE_PARAMS_v2, kernelParams);
SAME(sfi_cuda_kernel, kern, CUDA_KERNEL_NODE_PARAMS_v2, kern);
SAME(sfi_cuda_kernel, context, CUDA_KERNEL_NODE_PARAMS_v2, ctx);

#define NODE(our, their) SAME(sfi_cuda_node, our, CUgraphNodeParams, their)
SIZE(sfi_cuda_node, CUgraphNodeParams);
NODE(type, type);
NODE(reserved0, reserved0);
NODE(u.reserved1, reserved1);
NODE(u.kernel, kernel);
NODE(u.memcpy, memcpy);
NODE(u.memcpy.flags, memcpy.flags);
NODE(u.memcpy.reserved, memcpy.reserved);
NODE(u.memcpy.context, memcpy.copyCtx);
NODE(u.memcpy.copy, memcpy.copyParams);
NODE(u.memset, memset);
NODE(u.memset.dst, memset.dst);
NODE(u.memset.pitch, memset.pitch);
NODE(u.memset.value, memset.value);
NODE(u.memset.element, memset.elementSize);
NODE(u.memset.width, memset.width);
NODE(u.memset.height, memset.height);
NODE(u.memset.context, memset.ctx);
NODE(u.host.func, host.fn);
NODE(u.host.user, host.userData);
NODE(u.child.graph, graph.graph);
#if CUDA_VERSION >= 12090
NODE(u.child, graph);
NODE(u.child.ownership, graph.ownership);
EQUAL(0, CU_GRAPH_CHILD_GRAPH_OWNERSHIP_CLONE);
#endif
NODE(u.event, eventRecord.event);
NODE(u.event, eventWait.event);
NODE(u.alloc, alloc);
NODE(u.alloc.props, alloc.poolProps);
NODE(u.alloc.access, alloc.accessDescs);
NODE(u.alloc.access_count, alloc.accessDescCount);
NODE(u.alloc.bytes, alloc.bytesize);
NODE(u.alloc.ptr, alloc.dptr);
NODE(u.free, free.dptr);
NODE(u.conditional, conditional);
NODE(u.conditional.handle, conditional.handle);
NODE(u.conditional.type, conditional.type);
NODE(u.conditional.size, conditional.size);
NODE(u.conditional.bodies, conditional.phGraph_out);
NODE(u.conditional.context, conditional.ctx);
NODE(reserved2, reserved2);

SIZE(sfi_cuda_attribute, CUlaunchAttribute);
SAME(sfi_cuda_attribute, id, CUlaunchAttribute, id);
SAME(sfi_cuda_attribute, u, CUlaunchAttribute, value);
SAME(sfi_cuda_attribute, u.value, CUlaunchAttribute, value.programmaticStreamSerializationAllowed);

#define VALUE(our, their) SAME(sfi_cuda_value, our, CUlaunchAttributeValue, their)
SIZE(sfi_cuda_value, CUstreamAttrValue);
VALUE(value, syncPolicy);
VALUE(stream.wait, syncPolicy);
VALUE(stream.priority, priority);
VALUE(stream.domain, memSyncDomain);
VALUE(stream.map, memSyncDomainMap);
VALUE(stream.window, accessPolicyWindow);
VALUE(stream.window.base, accessPolicyWindow.base_ptr);
VALUE(stream.window.bytes, accessPolicyWindow.num_bytes);
VALUE(stream.window.hit_ratio, accessPolicyWindow.hitRatio);
VALUE(stream.window.hit, accessPolicyWindow.hitProp);
VALUE(stream.window.miss, accessPolicyWindow.missProp);
EQUAL(SF_STREAM_ACCESS_POLICY_WINDOW, CU_LAUNCH_ATTRIBUTE_ACCESS_POLICY_WINDOW);
EQUAL(SF_STREAM_SYNCHRONIZATION_POLICY, CU_LAUNCH_ATTRIBUTE_SYNCHRONIZATION_POLICY);
EQUAL(SF_STREAM_PRIORITY, CU_LAUNCH_ATTRIBUTE_PRIORITY);
EQUAL(SF_STREAM_MEM_SYNC_DOMAIN_MAP, CU_LAUNCH_ATTRIBUTE_MEM_SYNC_DOMAIN_MAP);
EQUAL(SF_STREAM_MEM_SYNC_DOMAIN, CU_LAUNCH_ATTRIBUTE_MEM_SYNC_DOMAIN);
EQUAL(SF_ACCESS_NORMAL, CU_ACCESS_PROPERTY_NORMAL);
EQUAL(SF_ACCESS_STREAMING, CU_ACCESS_PROPERTY_STREAMING);
EQUAL(SF_ACCESS_PERSISTING, CU_ACCESS_PROPERTY_PERSISTING);
EQUAL(SF_WAIT_AUTO + 1, CU_SYNC_POLICY_AUTO);
EQUAL(SF_WAIT_SPIN + 1, CU_SYNC_POLICY_SPIN);
EQUAL(SF_WAIT_YIELD + 1, CU_SYNC_POLICY_YIELD);
EQUAL(SF_WAIT_BLOCK + 1, CU_SYNC_POLICY_BLOCKING_SYNC);

#define OP(our, their) SAME(sfi_cuda_op, our, CUstreamBatchMemOpParams, their)
SIZE(sfi_cuda_op, CUstreamBatchMemOpParams);
OP(value.type, operation);
OP(value.ptr, waitValue.address);
OP(value.value, waitValue.value64);
OP(value.flags, waitValue.flags);
OP(value.ptr, writeValue.address);
OP(value.value, writeValue.value64);
OP(value.flags, writeValue.flags);
OP(barrier.flags, memoryBarrier.flags);
OP(barrier.flags, flushRemoteWrites.flags);
EQUAL(SF_STREAM_OP_WAIT32, CU_STREAM_MEM_OP_WAIT_VALUE_32);
EQUAL(SF_STREAM_OP_WAIT64, CU_STREAM_MEM_OP_WAIT_VALUE_64);
EQUAL(SF_STREAM_OP_WRITE32, CU_STREAM_MEM_OP_WRITE_VALUE_32);
EQUAL(SF_STREAM_OP_WRITE64, CU_STREAM_MEM_OP_WRITE_VALUE_64);
EQUAL(SF_STREAM_OP_FLUSH, CU_STREAM_MEM_OP_FLUSH_REMOTE_WRITES);
EQUAL(SF_STREAM_OP_BARRIER, CU_STREAM_MEM_OP_BARRIER);
EQUAL(SF_BARRIER_SYSTEM, CU_STREAM_MEMORY_BARRIER_TYPE_SYS);
EQUAL(SF_BARRIER_GPU, CU_STREAM_MEMORY_BARRIER_TYPE_GPU);
EQUAL(SF_WAIT_VALUE_FLUSH, CU_STREAM_WAIT_VALUE_FLUSH);
#if CUDA_VERSION >= 13010
OP(atomic, atomicReduction);
OP(atomic.type, atomicReduction.operation);
OP(atomic.flags, atomicReduction.flags);
OP(atomic.operation, atomicReduction.reductionOp);
OP(atomic.data, atomicReduction.dataType);
OP(atomic.ptr, atomicReduction.address);
OP(atomic.value, atomicReduction.value);
OP(atomic.alias, atomicReduction.alias);
EQUAL(SF_STREAM_OP_ATOMIC, CU_STREAM_MEM_OP_ATOMIC_REDUCTION);
EQUAL(SF_ATOMIC_ADD, CU_STREAM_ATOMIC_REDUCTION_OP_ADD);
EQUAL(SF_ATOMIC_AND, CU_STREAM_ATOMIC_REDUCTION_OP_AND);
EQUAL(SF_ATOMIC_OR, CU_STREAM_ATOMIC_REDUCTION_OP_OR);
EQUAL(SF_ATOMIC_64, CU_ATOMIC_CAPABILITY_SCALAR_64);
EQUAL(SFI_CUDA_UNSIGNED_32, CU_STREAM_ATOMIC_REDUCTION_UNSIGNED_32);
EQUAL(SFI_CUDA_UNSIGNED_64, CU_STREAM_ATOMIC_REDUCTION_UNSIGNED_64);
EQUAL(148, CU_DEVICE_ATTRIBUTE_ATOMIC_REDUCTION_SUPPORTED);
EQUAL(-SF_ERROR_STREAM_DETACHED, CUDA_ERROR_STREAM_DETACHED);
#endif
#if CUDA_VERSION >= 13020
EQUAL(SFI_CUDA_SPIN, CU_HOST_TASK_SPINWAIT);
#endif

SIZE(sfi_cuda_uuid, CUuuid);

#define LAUNCH(our, their) SAME(sfi_cuda_launch_config, our, CUlaunchConfig, their)
SIZE(sfi_cuda_launch_config, CUlaunchConfig);
FROM(sfi_cuda_launch_config, grid, CUlaunchConfig, gridDimX);
FROM(sfi_cuda_launch_config, block, CUlaunchConfig, blockDimX);
LAUNCH(shared_bytes, sharedMemBytes);
LAUNCH(stream, hStream);
LAUNCH(attributes, attrs);
LAUNCH(attribute_count, numAttrs);

/* What sfi_cuda_exec_update() lays out for itself. */
struct update_info { int result, pad; void *node, *from; };
SIZE(struct update_info, CUgraphExecUpdateResultInfo);
SAME(struct update_info, result, CUgraphExecUpdateResultInfo, result);
SAME(struct update_info, node, CUgraphExecUpdateResultInfo, errorNode);
SAME(struct update_info, from, CUgraphExecUpdateResultInfo, errorFromNode);

EQUAL(SFI_CUDA_NOT_READY, CUDA_ERROR_NOT_READY);
EQUAL(SFI_CUDA_LOADS_EAGERLY, CU_MODULE_EAGER_LOADING);
SIZE(int, CUmoduleLoadingMode);
SIZE(int, CUfunctionLoadingState);
EQUAL(SFI_CUDA_HOST_PORTABLE_MAPPED, CU_MEMHOSTALLOC_PORTABLE | CU_MEMHOSTALLOC_DEVICEMAP);
EQUAL(SFI_CUDA_ATTACH_GLOBAL, CU_MEM_ATTACH_GLOBAL);
EQUAL(SFI_CUDA_MEMORY_UNIFIED, CU_MEMORYTYPE_UNIFIED);
EQUAL(1, CU_MEMORYTYPE_HOST);
EQUAL(SFI_CUDA_POOL_FOLLOW_EVENT, CU_MEMPOOL_ATTR_REUSE_FOLLOW_EVENT_DEPENDENCIES);
EQUAL(SFI_CUDA_POOL_FOLLOW_EVENT + 1, CU_MEMPOOL_ATTR_REUSE_ALLOW_OPPORTUNISTIC);
EQUAL(SFI_CUDA_POOL_FOLLOW_EVENT + 2, CU_MEMPOOL_ATTR_REUSE_ALLOW_INTERNAL_DEPENDENCIES);
EQUAL(SFI_CUDA_POOL_THRESHOLD, CU_MEMPOOL_ATTR_RELEASE_THRESHOLD);
EQUAL(SFI_CUDA_POOL_RESERVED, CU_MEMPOOL_ATTR_RESERVED_MEM_CURRENT);
EQUAL(SFI_CUDA_POOL_RESERVED_HIGH, CU_MEMPOOL_ATTR_RESERVED_MEM_HIGH);
EQUAL(SFI_CUDA_POINTER_MEMORY_TYPE, CU_POINTER_ATTRIBUTE_MEMORY_TYPE);
EQUAL(SFI_CUDA_PROGRAMMATIC_SERIALIZATION, CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION);
EQUAL(SFI_CUDA_PORT_PROGRAMMATIC, CU_GRAPH_KERNEL_NODE_PORT_PROGRAMMATIC);
EQUAL(SFI_CUDA_PORT_LAUNCH_ORDER, CU_GRAPH_KERNEL_NODE_PORT_LAUNCH_ORDER);
EQUAL(SFI_CUDA_EDGE_PROGRAMMATIC, CU_GRAPH_DEPENDENCY_TYPE_PROGRAMMATIC);
EQUAL(SFI_AUTO_FREE, CUDA_GRAPH_INSTANTIATE_FLAG_AUTO_FREE_ON_LAUNCH);
EQUAL(SFI_NODE_PRIORITY, CUDA_GRAPH_INSTANTIATE_FLAG_USE_NODE_PRIORITY);
EQUAL(1, CU_GRAPH_COND_ASSIGN_DEFAULT);
EQUAL(1, CU_USER_OBJECT_NO_DESTRUCTOR_SYNC);
EQUAL(1, CU_GRAPH_USER_OBJECT_MOVE);
EQUAL(1, CU_MEM_ALLOCATION_TYPE_PINNED);
EQUAL(1, CU_MEM_LOCATION_TYPE_DEVICE);

/* The public header's own numbers. */
EQUAL(SF_STREAM_NON_BLOCKING, CU_STREAM_NON_BLOCKING);
EQUAL(SF_ATTACH_GLOBAL, CU_MEM_ATTACH_GLOBAL);
EQUAL(SF_ATTACH_HOST, CU_MEM_ATTACH_HOST);
EQUAL(SF_ATTACH_SINGLE, CU_MEM_ATTACH_SINGLE);
#if CUDA_VERSION >= 12050
#define RS(our, their) SAME(sfi_cuda_resource, our, CUdevResource, their)
SIZE(sfi_cuda_resource, CUdevResource);
RS(type, type);
RS(u.sm.count, sm.smCount);
#if CUDA_VERSION >= 13000
RS(u.sm.least, sm.minSmPartitionSize);
RS(u.sm.step, sm.smCoscheduledAlignment);
#endif
#if CUDA_VERSION >= 13010
RS(u.queues.device, wqConfig.device);
RS(u.queues.limit, wqConfig.wqConcurrencyLimit);
RS(u.queues.scope, wqConfig.sharingScope);
EQUAL(SFI_CUDA_RESOURCE_QUEUES, CU_DEV_RESOURCE_TYPE_WORKQUEUE_CONFIG);
SIZE(sfi_cuda_group, CU_DEV_SM_RESOURCE_GROUP_PARAMS);
SAME(sfi_cuda_group, count, CU_DEV_SM_RESOURCE_GROUP_PARAMS, smCount);
SAME(sfi_cuda_group, coscheduled, CU_DEV_SM_RESOURCE_GROUP_PARAMS, coscheduledSmCount);
SAME(sfi_cuda_group, preferred, CU_DEV_SM_RESOURCE_GROUP_PARAMS, preferredCoscheduledSmCount);
SAME(sfi_cuda_group, flags, CU_DEV_SM_RESOURCE_GROUP_PARAMS, flags);
EQUAL(SFI_CUDA_QUEUES_BALANCED, CU_WORKQUEUE_SCOPE_GREEN_CTX_BALANCED);
#endif
EQUAL(SFI_CUDA_RESOURCE_SM, CU_DEV_RESOURCE_TYPE_SM);
EQUAL(SFI_CUDA_GREEN_DEFAULT_STREAM, CU_GREEN_CTX_DEFAULT_STREAM);
#if CUDA_VERSION >= 13000
EQUAL(SF_SPLIT_IGNORE_COSCHEDULING, CU_DEV_SM_RESOURCE_SPLIT_IGNORE_SM_COSCHEDULING);
EQUAL(SF_SPLIT_MAX_CLUSTER, CU_DEV_SM_RESOURCE_SPLIT_MAX_POTENTIAL_CLUSTER_SIZE);
#endif
#endif

EQUAL(SF_WAIT_VALUE_GEQ, CU_STREAM_WAIT_VALUE_GEQ);
EQUAL(SF_WAIT_VALUE_EQ, CU_STREAM_WAIT_VALUE_EQ);
EQUAL(SF_WAIT_VALUE_AND, CU_STREAM_WAIT_VALUE_AND);
EQUAL(SF_WAIT_VALUE_NOR, CU_STREAM_WAIT_VALUE_NOR);
EQUAL(SF_EVENT_BLOCKING_SYNC, CU_EVENT_BLOCKING_SYNC);
EQUAL(SF_EVENT_DISABLE_TIMING, CU_EVENT_DISABLE_TIMING);
EQUAL(SF_EVENT_RECORD_EXTERNAL, CU_EVENT_RECORD_EXTERNAL);
EQUAL(SF_EVENT_WAIT_EXTERNAL, CU_EVENT_WAIT_EXTERNAL);
EQUAL(SF_CAPTURE_GLOBAL, CU_STREAM_CAPTURE_MODE_GLOBAL);
EQUAL(SF_CAPTURE_THREAD_LOCAL, CU_STREAM_CAPTURE_MODE_THREAD_LOCAL);
EQUAL(SF_CAPTURE_RELAXED, CU_STREAM_CAPTURE_MODE_RELAXED);
EQUAL(SF_CAPTURE_NONE, CU_STREAM_CAPTURE_STATUS_NONE);
EQUAL(SF_CAPTURE_ACTIVE, CU_STREAM_CAPTURE_STATUS_ACTIVE);
EQUAL(SF_CAPTURE_INVALIDATED, CU_STREAM_CAPTURE_STATUS_INVALIDATED);
EQUAL(SF_CAPTURE_ADD_DEPENDENCIES, CU_STREAM_ADD_CAPTURE_DEPENDENCIES);
EQUAL(SF_CAPTURE_SET_DEPENDENCIES, CU_STREAM_SET_CAPTURE_DEPENDENCIES);
EQUAL(SF_GRAPH_IF, CU_GRAPH_COND_TYPE_IF);
EQUAL(SF_GRAPH_WHILE, CU_GRAPH_COND_TYPE_WHILE);
#if CUDA_VERSION >= 12080
EQUAL(SF_GRAPH_SWITCH, CU_GRAPH_COND_TYPE_SWITCH);
#endif
EQUAL(-SF_ERROR_INVALID_VALUE, CUDA_ERROR_INVALID_VALUE);
EQUAL(-SF_ERROR_OUT_OF_MEMORY, CUDA_ERROR_OUT_OF_MEMORY);
EQUAL(-SF_ERROR_NO_DEVICE, CUDA_ERROR_NO_DEVICE);
EQUAL(-SF_ERROR_INVALID_DEVICE, CUDA_ERROR_INVALID_DEVICE);
EQUAL(-SF_ERROR_INVALID_CONTEXT, CUDA_ERROR_INVALID_CONTEXT);
EQUAL(-SF_ERROR_INVALID_HANDLE, CUDA_ERROR_INVALID_HANDLE);
EQUAL(-SF_ERROR_ILLEGAL_STATE, CUDA_ERROR_ILLEGAL_STATE);
EQUAL(-SF_ERROR_LOSSY_QUERY, CUDA_ERROR_LOSSY_QUERY);
EQUAL(-SF_ERROR_ILLEGAL_ADDRESS, CUDA_ERROR_ILLEGAL_ADDRESS);
EQUAL(-SF_ERROR_LAUNCH_FAILED, CUDA_ERROR_LAUNCH_FAILED);
EQUAL(-SF_ERROR_NOT_PERMITTED, CUDA_ERROR_NOT_PERMITTED);
EQUAL(-SF_ERROR_NOT_SUPPORTED, CUDA_ERROR_NOT_SUPPORTED);
EQUAL(-SF_ERROR_CAPTURE_UNSUPPORTED, CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED);
EQUAL(-SF_ERROR_CAPTURE_INVALIDATED, CUDA_ERROR_STREAM_CAPTURE_INVALIDATED);
EQUAL(-SF_ERROR_CAPTURE_MERGE, CUDA_ERROR_STREAM_CAPTURE_MERGE);
EQUAL(-SF_ERROR_CAPTURE_UNMATCHED, CUDA_ERROR_STREAM_CAPTURE_UNMATCHED);
EQUAL(-SF_ERROR_CAPTURE_UNJOINED, CUDA_ERROR_STREAM_CAPTURE_UNJOINED);
EQUAL(-SF_ERROR_CAPTURE_ISOLATION, CUDA_ERROR_STREAM_CAPTURE_ISOLATION);
EQUAL(-SF_ERROR_CAPTURE_IMPLICIT, CUDA_ERROR_STREAM_CAPTURE_IMPLICIT);
EQUAL(-SF_ERROR_CAPTURED_EVENT, CUDA_ERROR_CAPTURED_EVENT);
EQUAL(-SF_ERROR_CAPTURE_WRONG_THREAD, CUDA_ERROR_STREAM_CAPTURE_WRONG_THREAD);
EQUAL(-SF_ERROR_GRAPH_EXEC_UPDATE, CUDA_ERROR_GRAPH_EXEC_UPDATE_FAILURE);
EQUAL(-SF_ERROR_UNKNOWN, CUDA_ERROR_UNKNOWN);

int main(void)
{
    static const int types[] = {             /* by sf_node_type */
        CU_GRAPH_NODE_TYPE_EMPTY, CU_GRAPH_NODE_TYPE_KERNEL, CU_GRAPH_NODE_TYPE_MEMCPY, CU_GRAPH_NODE_TYPE_MEMSET,
        CU_GRAPH_NODE_TYPE_HOST, CU_GRAPH_NODE_TYPE_GRAPH, CU_GRAPH_NODE_TYPE_EVENT_RECORD,
        CU_GRAPH_NODE_TYPE_WAIT_EVENT, CU_GRAPH_NODE_TYPE_MEM_ALLOC, CU_GRAPH_NODE_TYPE_MEM_FREE,
        CU_GRAPH_NODE_TYPE_BATCH_MEM_OP, CU_GRAPH_NODE_TYPE_CONDITIONAL
    };
#if CUDA_VERSION < 13010
    enum { CU_DEVICE_ATTRIBUTE_ATOMIC_REDUCTION_SUPPORTED = 148 };
#endif
#define LIMIT(attribute, field) { CU_DEVICE_ATTRIBUTE_##attribute, offsetof(sf_device_info, field) }
    static const struct { int attribute; size_t offset; } limits[] = {
        LIMIT(MULTIPROCESSOR_COUNT, multiprocessors), LIMIT(WARP_SIZE, warp),
        LIMIT(MAX_THREADS_PER_BLOCK, block_threads), LIMIT(MAX_THREADS_PER_MULTIPROCESSOR, multiprocessor_threads),
        LIMIT(ASYNC_ENGINE_COUNT, copy_engines), LIMIT(MAX_SHARED_MEMORY_PER_BLOCK_OPTIN, shared_bytes),
        LIMIT(L2_CACHE_SIZE, l2_bytes), LIMIT(MAX_PERSISTING_L2_CACHE_SIZE, l2_persisting_bytes),
        LIMIT(MAX_ACCESS_POLICY_WINDOW_SIZE, window_bytes), LIMIT(MEM_SYNC_DOMAIN_COUNT, mem_sync_domains),
        LIMIT(INTEGRATED, integrated), LIMIT(MANAGED_MEMORY, managed),
        LIMIT(CONCURRENT_MANAGED_ACCESS, concurrent_managed), LIMIT(PAGEABLE_MEMORY_ACCESS, pageable_access),
        LIMIT(HOST_NATIVE_ATOMIC_SUPPORTED, native_atomics), LIMIT(CAN_USE_64_BIT_STREAM_MEM_OPS, values64),
        LIMIT(CAN_USE_STREAM_WAIT_VALUE_NOR, value_nor), LIMIT(CAN_FLUSH_REMOTE_WRITES, flush_writes),
        LIMIT(ATOMIC_REDUCTION_SUPPORTED, stream_atomics)
    };
    size_t i;
    if (SFI_COUNT(limits) != SFI_COUNT(sfi_cuda_limits)) { return 3; }
    for (i = 0; i < SFI_COUNT(limits); i++) {
        if (sfi_cuda_limits[i].attribute != limits[i].attribute) { return 4; }
        if (sfi_cuda_limits[i].offset != limits[i].offset) { return 4; }
    }
    for (i = 0; i < sizeof types / sizeof *types; i++) {
        if (sfi_cuda_node_types[i] != types[i]) { return 1; }
    }
    if ((uintptr_t)CU_STREAM_LEGACY != 1 || (uintptr_t)CU_STREAM_PER_THREAD != 2) { return 2; }
    return sizeof types != sizeof sfi_cuda_node_types;
}
