/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.call;

import static java.lang.constant.ConstantDescs.CD_Class;
import static java.lang.constant.ConstantDescs.CD_Object;
import static java.lang.constant.ConstantDescs.CD_String;
import static java.lang.constant.ConstantDescs.CD_int;
import static java.lang.constant.ConstantDescs.CD_void;

import java.lang.classfile.ClassBuilder;
import java.lang.classfile.ClassFile;
import java.lang.classfile.CodeBuilder;
import java.lang.classfile.TypeKind;
import java.lang.constant.ClassDesc;
import java.lang.constant.ConstantDescs;
import java.lang.constant.DirectMethodHandleDesc;
import java.lang.constant.DynamicConstantDesc;
import java.lang.constant.MethodHandleDesc;
import java.lang.constant.MethodTypeDesc;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.util.Arrays;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * The class that implements a protocol for writing, generated with the JDK's class-file API. For
 *
 * <pre>{@code void executeUpdate(String query, Object... args)}</pre>
 *
 * it has a method of this shape; the names in capitals are constants made from the method handles
 * in its static field:
 *
 * <pre>{@code
 * BEGIN.invokeExact(encoder, 1);
 * VALUE.invokeExact(encoder, 0, query);
 * VALUE.invokeExact(encoder, 1, args);
 * END.invokeExact(encoder);
 * }</pre>
 *
 * A method with a result ends with {@code END_EXPECTING} instead, and returns the future that it
 * returns.
 *
 * <p>A {@link java.lang.reflect.Proxy} would do the same, but would allocate an array for each call
 * and box each number. The compiler inlines constant handles. The class refers only to the JDK and
 * the protocol, so {@link CallEncoder} need not be public, and the class loader of the protocol
 * need not know this package. For the same reason it is not a hidden class, which could only be
 * defined in this module and its class loader. It is a member of the protocol's package, generated
 * once per interface, and unloaded with it.
 */
final class WriterClass {

  private static final ClassDesc HANDLE = MethodHandle.class.describeConstable().orElseThrow();
  private static final ClassDesc HANDLE_ARRAY = HANDLE.arrayType();
  private static final ClassDesc LOOKUP =
      MethodHandles.Lookup.class.describeConstable().orElseThrow();
  private static final MethodTypeDesc BOOTSTRAP =
      MethodTypeDesc.of(CD_Object, LOOKUP, CD_String, CD_Class, CD_int);
  private static final String ENCODER = "encoder";
  private static final String HANDLES = "handles";
  private static final String HANDLE_AT = "handleAt";

  private static final ClassValue<Made> MADE =
      new ClassValue<>() {
        @Override
        protected Made computeValue(Class<?> type) {
          return new Made();
        }
      };

  private static final class Made {
    @Nullable WriterClass writerClass;
  }

  /** The methods that a generated class calls, in the order of its handles. */
  private enum Step {
    BEGIN("begin", int.class),
    BOOLEAN("putBoolean", boolean.class),
    INTEGER("putInteger", long.class),
    FLOAT("putFloat", float.class),
    DOUBLE("putDouble", double.class),
    VALUE("putValue", int.class, Object.class),
    END("end"),
    END_EXPECTING(CompletableFuture.class, "endExpecting");

    final MethodType type;
    final MethodHandle handle;

    Step(String method, Class<?>... parameters) {
      this(void.class, method, parameters);
    }

    Step(Class<?> returned, String method, Class<?>... parameters) {
      type = MethodType.methodType(returned, parameters).insertParameterTypes(0, Object.class);
      try {
        handle =
            MethodHandles.lookup()
                .findVirtual(CallEncoder.class, method, MethodType.methodType(returned, parameters))
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

  /**
   * @param lookup into the protocol's package
   * @throws IllegalAccessException if that package is not open to this one
   */
  static WriterClass of(MethodHandles.Lookup lookup, Class<?> type, ProtocolMethod[] methods)
      throws IllegalAccessException {
    Made made = MADE.get(type);
    synchronized (made) {
      if (made.writerClass == null) {
        made.writerClass = define(lookup, type, methods);
      }
      return made.writerClass;
    }
  }

  private static WriterClass define(
      MethodHandles.Lookup lookup, Class<?> type, ProtocolMethod[] methods)
      throws IllegalAccessException {
    Class<?> made = lookup.defineClass(bytes(type, methods));
    MethodHandle[] handles =
        Arrays.stream(Step.values()).map(s -> s.handle).toArray(MethodHandle[]::new);
    try {
      MethodHandles.Lookup inside = MethodHandles.privateLookupIn(made, MethodHandles.lookup());
      inside.findStaticVarHandle(made, HANDLES, MethodHandle[].class).setVolatile(handles);
      return new WriterClass(
          inside
              .findConstructor(made, MethodType.methodType(void.class, Object.class))
              .asType(MethodType.methodType(Object.class, Object.class)));
    } catch (NoSuchMethodException | NoSuchFieldException e) {
      throw new AssertionError("the class was generated with them", e);
    }
  }

  /** Creates an instance, which implements the protocol. */
  Object instance(CallEncoder encoder) {
    try {
      return (Object) constructor.invokeExact((Object) encoder);
    } catch (Throwable e) {
      throw new AssertionError("the generated constructor does not throw", e);
    }
  }

  private static byte[] bytes(Class<?> type, ProtocolMethod[] methods) {
    ClassDesc self = ClassDesc.of(type.getName() + "$$Writer");
    return ClassFile.of()
        .build(
            self,
            out -> {
              out.withFlags(ClassFile.ACC_FINAL | ClassFile.ACC_SYNTHETIC)
                  .withInterfaceSymbols(type.describeConstable().orElseThrow())
                  .withField(HANDLES, HANDLE_ARRAY, ClassFile.ACC_PRIVATE | ClassFile.ACC_STATIC)
                  .withField(ENCODER, CD_Object, ClassFile.ACC_PRIVATE | ClassFile.ACC_FINAL);
              handleAt(out, self);
              constructor(out, self);
              for (int i = 0; i < methods.length; i++) {
                method(out, self, methods[i], i);
              }
            });
  }

  /** Adds the bootstrap method that returns the handle at an index as a constant. */
  private static void handleAt(ClassBuilder out, ClassDesc self) {
    out.withMethodBody(
        HANDLE_AT,
        BOOTSTRAP,
        ClassFile.ACC_PRIVATE | ClassFile.ACC_STATIC,
        code -> code.getstatic(self, HANDLES, HANDLE_ARRAY).iload(3).aaload().areturn());
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
          if (method.result == null) {
            start(code, self, Step.END);
            invoke(code, Step.END);
            code.return_();
          } else {
            start(code, self, Step.END_EXPECTING);
            invoke(code, Step.END_EXPECTING);
            code.areturn();
          }
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
                MethodHandleDesc.ofMethod(
                    DirectMethodHandleDesc.Kind.STATIC, self, HANDLE_AT, BOOTSTRAP),
                step.name(),
                HANDLE,
                step.ordinal()))
        .aload(0)
        .getfield(self, ENCODER, CD_Object);
  }

  private static void invoke(CodeBuilder code, Step step) {
    code.invokevirtual(HANDLE, "invokeExact", step.type.describeConstable().orElseThrow());
  }
}
