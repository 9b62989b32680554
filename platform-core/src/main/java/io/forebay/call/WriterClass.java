/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.call;

import static java.lang.constant.ConstantDescs.CD_Object;
import static java.lang.constant.ConstantDescs.CD_int;
import static java.lang.constant.ConstantDescs.CD_void;

import java.lang.classfile.ClassBuilder;
import java.lang.classfile.ClassFile;
import java.lang.classfile.CodeBuilder;
import java.lang.classfile.TypeKind;
import java.lang.constant.ClassDesc;
import java.lang.constant.ConstantDescs;
import java.lang.constant.DynamicConstantDesc;
import java.lang.constant.MethodTypeDesc;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.util.Arrays;
import java.util.List;

/**
 * The class that implements a protocol for writing, generated with the JDK's class-file API. For
 *
 * <pre>{@code void executeUpdate(String query, Object... args)}</pre>
 *
 * it has a method of this shape, where the capitals are method handles that it got as class data:
 *
 * <pre>{@code
 * BEGIN.invokeExact(encoder, 1);
 * VALUE.invokeExact(encoder, 0, query);
 * VALUE.invokeExact(encoder, 1, args);
 * END.invokeExact(encoder);
 * }</pre>
 *
 * <p>A {@link java.lang.reflect.Proxy} would do the same, but allocate an array for each call, box
 * each number, and refuse interfaces that are not public. The handles are constants for the
 * compiler, so the calls are inlined; and since only they name {@link CallEncoder}, that class need
 * not be public, nor visible to the class loader of the protocol. The class is hidden, a member of
 * the protocol's package, and unloaded with it.
 */
final class WriterClass<T> {

  private static final ClassDesc HANDLE = MethodHandle.class.describeConstable().orElseThrow();
  private static final ClassDesc HANDLES = MethodHandles.class.describeConstable().orElseThrow();
  private static final String ENCODER = "encoder";

  /** What a generated class may call, in the order of its class data. */
  private enum Step {
    BEGIN("begin", int.class),
    BOOLEAN("putBoolean", boolean.class),
    INTEGER("putInteger", long.class),
    FLOAT("putFloat", float.class),
    DOUBLE("putDouble", double.class),
    VALUE("putValue", int.class, Object.class),
    END("end");

    final MethodType type;
    final MethodHandle handle;

    Step(String method, Class<?>... parameters) {
      type = MethodType.methodType(void.class, parameters).insertParameterTypes(0, Object.class);
      try {
        handle =
            MethodHandles.lookup()
                .findVirtual(
                    CallEncoder.class, method, MethodType.methodType(void.class, parameters))
                .asType(type);
      } catch (ReflectiveOperationException e) {
        throw new AssertionError(e);
      }
    }
  }

  private final MethodHandle constructor;

  private WriterClass(MethodHandle constructor) {
    this.constructor = constructor;
  }

  static <T> WriterClass<T> of(MethodHandles.Lookup lookup, Class<T> type, ProtocolMethod[] methods)
      throws IllegalAccessException {
    List<MethodHandle> handles = Arrays.stream(Step.values()).map(s -> s.handle).toList();
    MethodHandles.Lookup hidden =
        lookup.defineHiddenClassWithClassData(bytes(type, methods), handles, true);
    try {
      return new WriterClass<>(
          hidden
              .findConstructor(
                  hidden.lookupClass(), MethodType.methodType(void.class, Object.class))
              .asType(MethodType.methodType(Object.class, Object.class)));
    } catch (NoSuchMethodException e) {
      throw new AssertionError(e);
    }
  }

  @SuppressWarnings("unchecked") // it was generated to implement T
  T instance(CallEncoder encoder) {
    try {
      return (T) (Object) constructor.invokeExact((Object) encoder);
    } catch (Throwable e) {
      throw new AssertionError("the generated constructor does not throw", e);
    }
  }

  private static byte[] bytes(Class<?> type, ProtocolMethod[] methods) {
    String prefix = type.getPackageName().isEmpty() ? "" : type.getPackageName() + ".";
    ClassDesc self = ClassDesc.of(prefix + type.getSimpleName() + "Writer");
    return ClassFile.of()
        .build(
            self,
            out -> {
              out.withFlags(ClassFile.ACC_FINAL | ClassFile.ACC_SYNTHETIC)
                  .withInterfaceSymbols(type.describeConstable().orElseThrow())
                  .withField(ENCODER, CD_Object, ClassFile.ACC_PRIVATE | ClassFile.ACC_FINAL);
              constructor(out, self);
              for (int i = 0; i < methods.length; i++) {
                method(out, self, methods[i], i);
              }
            });
  }

  private static void constructor(ClassBuilder out, ClassDesc self) {
    out.withMethodBody(
        ConstantDescs.INIT_NAME,
        MethodTypeDesc.of(CD_void, CD_Object),
        0,
        code ->
            code.aload(0)
                .invokespecial(CD_Object, ConstantDescs.INIT_NAME, ConstantDescs.MTD_void)
                .aload(0)
                .aload(1)
                .putfield(self, ENCODER, CD_Object)
                .return_());
  }

  private static void method(ClassBuilder out, ClassDesc self, ProtocolMethod method, int index) {
    MethodTypeDesc type = method.type.describeConstable().orElseThrow();
    out.withMethodBody(
        method.name,
        type,
        ClassFile.ACC_PUBLIC,
        code -> {
          start(code, self, Step.BEGIN);
          code.loadConstant(index);
          invoke(code, Step.BEGIN);
          for (int i = 0; i < type.parameterCount(); i++) {
            argument(code, self, method.type.parameterType(i), i);
          }
          start(code, self, Step.END);
          invoke(code, Step.END);
          code.return_();
        });
  }

  private static void argument(CodeBuilder code, ClassDesc self, Class<?> type, int index) {
    Step step = step(type);
    start(code, self, step);
    if (step == Step.VALUE) {
      code.loadConstant(index);
    }
    TypeKind kind = TypeKind.from(type);
    code.loadLocal(kind, code.parameterSlot(index));
    if (step == Step.INTEGER && kind != TypeKind.LONG) {
      code.i2l();
    }
    invoke(code, step);
  }

  private static Step step(Class<?> type) {
    return switch (TypeKind.from(type)) {
      case BOOLEAN -> Step.BOOLEAN;
      case BYTE, SHORT, INT, LONG -> Step.INTEGER;
      case FLOAT -> Step.FLOAT;
      case DOUBLE -> Step.DOUBLE;
      default -> Step.VALUE;
    };
  }

  private static void start(CodeBuilder code, ClassDesc self, Step step) {
    code.loadConstant(
            DynamicConstantDesc.ofNamed(
                ConstantDescs.ofConstantBootstrap(HANDLES, "classDataAt", CD_Object, CD_int),
                ConstantDescs.DEFAULT_NAME,
                HANDLE,
                step.ordinal()))
        .aload(0)
        .getfield(self, ENCODER, CD_Object);
  }

  private static void invoke(CodeBuilder code, Step step) {
    code.invokevirtual(HANDLE, "invokeExact", step.type.describeConstable().orElseThrow());
  }
}
