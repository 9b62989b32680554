/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.races;

import java.lang.classfile.AccessFlags;
import java.lang.classfile.ClassFile;
import java.lang.classfile.ClassTransform;
import java.lang.classfile.CodeBuilder;
import java.lang.classfile.CodeElement;
import java.lang.classfile.MethodModel;
import java.lang.classfile.Opcode;
import java.lang.classfile.TypeKind;
import java.lang.classfile.instruction.FieldInstruction;
import java.lang.classfile.instruction.InvokeInstruction;
import java.lang.classfile.instruction.ReturnInstruction;
import java.lang.constant.ClassDesc;
import java.lang.constant.MethodTypeDesc;
import java.lang.reflect.AccessFlag;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BiPredicate;
import java.util.function.Predicate;

/**
 * A change of a class of the product, made when it is loaded; most plant a race in one method. So
 * the tests are tested with the code as it is today, without a copy of it.
 */
public final class Mutation {

  /** Changes the chosen methods, and calls {@code changed} for each change. */
  private interface Change {
    ClassTransform of(Predicate<MethodModel> chosen, Runnable changed);
  }

  /** Changes an instruction; returns false if it is another one. */
  private interface Instruction extends BiPredicate<CodeBuilder, CodeElement> {}

  private final Class<?> type;
  private final String method;
  private final Change change;

  private Mutation(Class<?> type, String method, Change change) {
    this.type = type;
    this.method = method;
    this.change = change;
  }

  /**
   * The method no longer calls others; a result of such a call is 0, false or null.
   *
   * @param called a regular expression for the names of the others
   */
  public static Mutation withoutCall(Class<?> type, String method, String called) {
    return new Mutation(
        type,
        method,
        each((code, element) -> {
          if (element instanceof InvokeInstruction call
              && call.name().stringValue().matches(called)) {
            dropCall(code, call);
            return true;
          }
          return false;
        }));
  }

  /** The method no longer writes a field. */
  public static Mutation withoutWrite(Class<?> type, String method, String field) {
    return new Mutation(
        type,
        method,
        each((code, element) -> {
          if (element instanceof FieldInstruction write
              && write.opcode() == Opcode.PUTFIELD
              && write.name().equalsString(field)) {
            pop(code, write.typeSymbol());
            code.pop();
            return true;
          }
          return false;
        }));
  }

  /** The method reads another field of the same type instead of one. */
  public static Mutation reading(Class<?> type, String method, String other, String insteadOf) {
    return new Mutation(
        type,
        method,
        each((code, element) -> {
          if (element instanceof FieldInstruction read
              && read.opcode() == Opcode.GETFIELD
              && read.name().equalsString(insteadOf)) {
            code.getfield(read.owner().asSymbol(), other, read.typeSymbol());
            return true;
          }
          return false;
        }));
  }

  /** The method, whose result is an int or a boolean, returns this value whatever it found. */
  public static Mutation returning(Class<?> type, String method, int value) {
    return new Mutation(
        type,
        method,
        each((code, element) -> {
          if (element instanceof ReturnInstruction back && back.typeKind() == TypeKind.INT) {
            code.pop().loadConstant(value).ireturn();
            return true;
          }
          return false;
        }));
  }

  /**
   * Another thread may run before each call of a method of these classes, such as {@code
   * java.lang.foreign.MemorySegment}. Not a mistake, but steps that Fray does not see.
   *
   * @param owners a regular expression for their names
   */
  public static Mutation steps(Class<?> type, String owners) {
    return new Mutation(
        type,
        ".*",
        each((code, element) -> {
          if (element instanceof InvokeInstruction call
              && call.owner().asInternalName().replace('/', '.').matches(owners)) {
            code.invokestatic(
                ClassDesc.of("java.lang.Thread"), "yield", MethodTypeDesc.ofDescriptor("()V"));
            code.with(element);
            return true;
          }
          return false;
        }));
  }

  /** The method no longer takes the monitor of its object. */
  public static Mutation notSynchronized(Class<?> type, String method) {
    return new Mutation(
        type,
        method,
        (chosen, changed) ->
            ClassTransform.transformingMethods(
                chosen,
                (builder, element) -> {
                  if (element instanceof AccessFlags flags && flags.has(AccessFlag.SYNCHRONIZED)) {
                    builder.withFlags(flags.flagsMask() & ~AccessFlag.SYNCHRONIZED.mask());
                    changed.run();
                  } else {
                    builder.with(element);
                  }
                }));
  }

  String className() {
    return type.getName();
  }

  byte[] applyTo(byte[] original) {
    ClassFile format = ClassFile.of();
    AtomicInteger changed = new AtomicInteger();
    byte[] mutated =
        format.transformClass(
            format.parse(original),
            change.of(
                it -> it.methodName().stringValue().matches(method), changed::incrementAndGet));
    if (changed.get() == 0) {
      throw new AssertionError("%s.%s has nothing to change".formatted(type.getName(), method));
    }
    return mutated;
  }

  private static Change each(Instruction instruction) {
    return (chosen, changed) ->
        ClassTransform.transformingMethodBodies(
            chosen,
            (code, element) -> {
              if (instruction.test(code, element)) {
                changed.run();
              } else {
                code.with(element);
              }
            });
  }

  private static void dropCall(CodeBuilder code, InvokeInstruction call) {
    MethodTypeDesc called = call.typeSymbol();
    for (int i = called.parameterCount() - 1; i >= 0; i--) {
      pop(code, called.parameterType(i));
    }
    if (call.opcode() != Opcode.INVOKESTATIC) {
      code.pop();
    }
    switch (TypeKind.from(called.returnType()).asLoadable()) {
      case VOID -> {}
      case LONG -> code.lconst_0();
      case FLOAT -> code.fconst_0();
      case DOUBLE -> code.dconst_0();
      case REFERENCE -> code.aconst_null();
      default -> code.iconst_0();
    }
  }

  private static void pop(CodeBuilder code, ClassDesc type) {
    if (TypeKind.from(type).slotSize() == 2) {
      code.pop2();
    } else {
      code.pop();
    }
  }

  @Override
  public String toString() {
    return "%s.%s".formatted(type.getSimpleName(), method);
  }
}
